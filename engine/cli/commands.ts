/** The commands of Plinth, in the order of the help; plugins add theirs. */
import type { Command } from './command.ts'

export const COMMANDS: readonly Command[] = [
  {
    name: 'init',
    usage: '<folder> [--with-plugin | --from <address> | --on <application>] [--plinth <spec>]',
    summary:
      'make a new application in a folder of its own, ready to be served, tested and put into an image; --with-plugin adds a plugin in TypeScript to its example; with --from, one that serves the tables of a PostgreSQL database as they are, which it only reads; with --on, one that extends another application, such as desk; --plinth says where npm finds Plinth',
    example: 'plinth init shop --from postgres://me@127.0.0.1/shop',
    options: {
      from: { type: 'string' },
      on: { type: 'string' },
      plinth: { type: 'string' },
      'with-plugin': { type: 'boolean' },
    },
    takes: [1, 1],
    load: () => import('./init.ts'),
  },
  {
    name: 'add',
    usage: 'resource|field|relation|plugin <name> … [--dry-run]',
    summary:
      'add a resource, a field, a relation or a plugin to the files of the application; their comments and order stay; a field is <name>:<type>, with "!" behind it where it is required; nothing is written where the result has a mistake',
    example: `plinth add resource invoices number:string! customer:belongs_to:customers status:enum:draft,sent,paid
  plinth add field invoices due_on:date --required --filter
  plinth add relation invoices customer --to customers
  plinth add relation invoices tags --to tags --many
  plinth add plugin greeting`,
    words: ['resource', 'field', 'relation', 'plugin'],
    options: {
      back: { type: 'string' },
      default: { type: 'string' },
      'dry-run': { type: 'boolean' },
      filter: { type: 'boolean' },
      index: { type: 'boolean' },
      label: { type: 'string' },
      many: { type: 'boolean' },
      'one-way': { type: 'boolean' },
      required: { type: 'boolean' },
      search: { type: 'boolean' },
      sort: { type: 'boolean' },
      to: { type: 'string' },
      unique: { type: 'boolean' },
    },
    takes: [1, Number.POSITIVE_INFINITY],
    load: () => import('./add.ts'),
  },
  {
    name: 'start',
    usage: '[--demo] [--watch]',
    summary:
      'serve the application; --demo fills it with examples first, --watch follows YAML and plugins as they are edited',
    example: 'plinth start --watch',
    options: { demo: { type: 'boolean' }, watch: { type: 'boolean' } },
    load: () => import('./start.ts'),
  },
  {
    name: 'check',
    usage: '[--all | --data]',
    summary:
      'report the mistakes in YAML, plugins and settings, and say nothing else; of more than a hundred the first ten of each kind, with --all every one; with --data, the stored records that break a rule or have a value that their field does not allow',
    example: 'plinth check --data',
    options: { all: { type: 'boolean' }, data: { type: 'boolean' } },
    load: () => import('./check.ts'),
  },
  {
    name: 'test',
    usage: '[--mutate] [<part of a path> …]',
    summary:
      'run the tests of the application, on databases of their own: the scenarios of *.test.yaml, and every *.test.ts of its plugins and of its folder test; with --mutate, leave out each part of what the files say in turn, every condition among them, and name what no scenario misses',
    options: { mutate: { type: 'boolean' } },
    example: 'plinth test tickets',
    takes: [0, Number.POSITIVE_INFINITY],
    load: () => import('./test.ts'),
  },
  {
    name: 'upgrade',
    usage: '[--choose <word>=<number>,…] [--dry-run]',
    summary:
      'replace the words of earlier versions in the files of the application by what took their place; their comments and order stay; where a person has to decide, it asks and changes nothing; with --dry-run, show the changes alone',
    example: 'plinth upgrade --dry-run',
    options: { choose: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    load: () => import('./upgrade.ts'),
  },
  {
    name: 'plan',
    usage: '[--all] [--json] [--exit-code]',
    summary:
      'show what the YAML as it is now would change: in the database, for clients, and in who may do what, many equal changes on one line; with --all, a line for each; with --exit-code, 3 where it changes anything',
    example: 'plinth plan --json --exit-code',
    options: { all: { type: 'boolean' }, json: { type: 'boolean' }, 'exit-code': { type: 'boolean' } },
    load: () => import('./plan.ts'),
  },
  {
    name: 'apply',
    usage: '[<hash>]',
    summary:
      'bring the database and every running instance to the files as they are now; with a hash, by the changes of the plan that has it, removals too',
    takes: [0, 1],
    example: 'plinth apply 5f3a09c41b7de826',
    load: () => import('./apply.ts'),
  },
  {
    name: 'accept',
    usage: '[<path> …] [--all]',
    summary:
      'keep the parts that replace those of the application below, although these have changed since; without a path, list them; with --all, keep every one',
    options: { all: { type: 'boolean' } },
    takes: [0, Number.POSITIVE_INFINITY],
    example: 'plinth accept tickets.policies.update',
    load: () => import('./accept.ts'),
  },
  {
    name: 'flatten',
    usage: '[--out <folder>]',
    summary:
      'print the whole application as files that extend nothing; each part has the file and the line that it comes from; with --out, write them into a folder',
    options: { out: { type: 'string' } },
    example: 'plinth flatten --out whole',
    load: () => import('./flatten.ts'),
  },
  {
    name: 'history',
    usage: '[--all] [--json]',
    summary:
      'show every step of a migration that was begun, the latest first: when, by which process, how long it took, and whether it was finished; the last 100, with --all every one',
    example: 'plinth history --json',
    options: { all: { type: 'boolean' }, json: { type: 'boolean' } },
    load: () => import('./history.ts'),
  },
  {
    name: 'restore-field',
    usage: '[<resource>[.<field>]]',
    summary:
      'list what was set aside; with a name, bring back the data of that field or resource; values that are newer stay',
    example: 'plinth restore-field tickets.mood',
    takes: [0, 1],
    load: async () => ({ run: (await import('./set-aside.ts')).restoring }),
  },
  {
    name: 'purge',
    usage: '[<resource>[.<field>]] [--yes]',
    summary: 'list what was set aside; with --yes, destroy it for good',
    example: 'plinth purge tickets.mood --yes',
    options: { yes: { type: 'boolean' } },
    takes: [0, 1],
    load: async () => ({ run: (await import('./set-aside.ts')).purging }),
  },
  {
    name: 'dump',
    usage: '<file>',
    summary:
      'write the whole application into one file: every row as of one moment, what was set aside, sequences, and the files that rows name; works while it is served',
    example: 'plinth dump desk.dump',
    takes: [1, 1],
    load: async () => ({ run: (await import('./dump.ts')).dumping }),
  },
  {
    name: 'load',
    usage: '<file> [--as-dumped] [--other-secret]',
    summary:
      'fill an empty database from a dump, all of it or nothing, and compare every row; --as-dumped where the YAML is another one by now, --other-secret where the secret of the dumped application is lost',
    example: 'DATABASE_URL=postgres://desk@db/desk plinth load desk.dump',
    options: { 'as-dumped': { type: 'boolean' }, 'other-secret': { type: 'boolean' } },
    takes: [1, 1],
    load: async () => ({ run: (await import('./dump.ts')).loading }),
  },
  {
    name: 'doctor',
    usage: '[--json]',
    summary:
      'look at a deployment, and say of each thing whether it is well and what to do: secret, proxy, folder, database, clock, Redis, mail, what grows, roles that no seed names, and queries without an index; 1 where there is a problem',
    example: 'plinth doctor',
    options: { json: { type: 'boolean' } },
    load: () => import('./doctor.ts'),
  },
  {
    name: 'explain',
    usage:
      "'<METHOD> <path>' [--as <e-mail or id>] [--set <JSON>] [--field <name>] | --automation <resource>.<name> --record <id> | --listener <plugin>.<name> --record <resource>.<id> | --rule <resource>.<name> --record <id> [--set <JSON>] | --sign-in <provider> --claims <file> | --source <path>",
    summary:
      'show what a request is answered and why: its plan, with --set for this body, the rules that speak of the caller, and the SQL, with --field also why a field of the answer is there, empty or left out; or why an automation did or did not act for a record; or what a listener does for the latest writes of a record, and why; or whether a rule holds of a record, as it is stored or as an update would make it, and by which values; or who somebody would be of whom a provider says what a file of JSON says, and why; or, with --source, which application, file and line each part of the YAML comes from, without a database; writes nothing',
    example: "plinth explain 'PATCH /api/v1/tickets/7' --as ann@example.com",
    options: {
      as: { type: 'string' },
      automation: { type: 'string' },
      claims: { type: 'string' },
      field: { type: 'string' },
      listener: { type: 'string' },
      record: { type: 'string' },
      rule: { type: 'string' },
      set: { type: 'string' },
      'sign-in': { type: 'string' },
      source: { type: 'string' },
    },
    takes: [0, 1],
    load: () => import('./explain.ts'),
  },
  {
    name: 'schema',
    usage: '',
    summary: 'write the JSON Schemas that editors complete the YAML from',
    example: 'plinth schema',
    load: async () => ({ run: (await import('./describe.ts')).schema }),
  },
  {
    name: 'openapi',
    usage: '',
    summary: 'print the OpenAPI document of the interface that the YAML gives',
    example: 'plinth openapi > openapi.json',
    load: async () => ({ run: (await import('./describe.ts')).openapi }),
  },
  {
    name: 'diff',
    usage: '<old> [<new>] [--all] [--json]',
    summary:
      'show what changes for clients between two OpenAPI documents, files or addresses; without a second one, the application as it is now; many equal changes on one line, with --all a line for each; 1 where it breaks them',
    example: 'plinth diff https://desk.example/openapi.json',
    options: { all: { type: 'boolean' }, json: { type: 'boolean' } },
    takes: [1, 2],
    load: () => import('./diff.ts'),
  },
  {
    name: 'types',
    usage: '[--write]',
    summary:
      "print TypeScript types of every resource, for plugins and clients; with --write, keep them where plugins' `records` finds them",
    example: 'plinth types --write',
    options: { write: { type: 'boolean' } },
    load: async () => ({ run: (await import('./describe.ts')).types }),
  },
  {
    name: 'client',
    usage: '[--out <file>]',
    summary: 'print a typed client of the interface in TypeScript, one file without dependencies; with --out, write it',
    example: 'plinth client --out client.ts',
    options: { out: { type: 'string' } },
    load: async () => ({ run: (await import('./describe.ts')).client }),
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    summary: 'print what makes a shell complete the commands and options of plinth, those of plugins too',
    example: 'source <(plinth completion bash)',
    words: ['bash', 'zsh', 'fish'],
    takes: [1, 1],
    load: () => import('./completion.ts'),
  },
  {
    name: 'version',
    usage: '',
    summary: 'print the versions of Plinth and of Node',
    example: 'plinth version',
    load: () => import('./version.ts'),
  },
  {
    name: 'help',
    usage: '[<command>]',
    summary: 'show this list, or one command',
    example: 'plinth help explain',
    takes: [0, 1],
    load: () => import('./help.ts'),
  },
]
