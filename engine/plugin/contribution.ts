/** What a plugin can contribute, key by key; plugins/README.md has the same as a table. */
import type { Plugin } from './plugin.ts'

interface Contribution {
  /** What the key gives, in a few words. */
  readonly gives: string
  /** When to use it. */
  readonly when: string
}

export const CONTRIBUTIONS = {
  name: { gives: "the word in app.yaml, and the first half of its hooks' and special filters' names", when: 'always' },
  description: { gives: 'one sentence for people', when: 'always' },
  after: { gives: 'plugins that come first, if they are in use', when: 'order matters: transforms, hooks, start' },
  needs: {
    gives: 'plugins that app.yaml must name too; they come first',
    when: 'your resources or your code use what they give',
  },
  reliesOn: {
    gives: 'resources of the application, each with the fields and relations that your code uses: `{ books: [title] }`',
    when: 'your plugin is for applications that have certain records',
  },
  options: {
    gives: 'JSON Schema (an object) of its options in app.yaml, with defaults',
    when: 'an admin should be able to decide something',
  },
  specials: {
    gives: 'words of a query parameter, each a filter of the YAML',
    when: 'a list has a named view: `?type=overdue`',
  },
  keys: {
    gives: 'extra keys of a resource file, with their JSON Schema',
    when: 'an admin switches something on for one resource',
  },
  transforms: {
    gives: "pure changes of a resource's definition",
    when: 'a key of yours becomes fields, filters or settings',
  },
  rules: { gives: 'checks of the finished catalog', when: 'a mistake can be found before the start' },
  permissions: { gives: 'permissions that your code asks for', when: 'no policy in YAML names them yet' },
  hooks: {
    gives: 'functions around create, update, delete and restore',
    when: 'a write needs a decision or a consequence',
  },
  routes: { gives: 'routes of your own', when: 'something is not a record' },
  resourceRoutes: {
    gives: 'routes for resources whose file has your key',
    when: 'any resource may switch your work on: `/books/export`',
  },
  jobs: {
    gives: 'work outside requests: once with retries, or on a schedule',
    when: 'the work takes long, calls a server that may not answer, or is housekeeping',
  },
  listeners: {
    gives: 'consequences of writes, handled once, soon after the commit',
    when: 'the answer of a write need not wait for a consequence: notifications, mails, webhooks, search indexes',
  },
  actions: {
    gives: 'actions for automations, with options of their own',
    when: 'an admin decides in YAML when it happens: `mail` and `notify` come with Plinth, a call of a server is yours to write',
  },
  takesOver: {
    gives:
      'tables of earlier versions whose rows `start` takes over, each with what they become and the fact that holds the greatest id of those taken over',
    when: 'your plugin keeps its records elsewhere than it did',
  },
  resources: {
    gives:
      'resource files of your own, which an application can extend, and files `<language>.words.yaml` with their words',
    when: 'you keep records of your own',
  },
  authenticate: {
    gives: 'the caller behind the headers of a request',
    when: 'callers sign in; `auth` is the shipped one, and of several the first that knows the caller answers',
  },
  schemes: {
    gives: 'the ways in which callers present themselves, as security schemes of OpenAPI',
    when: '`authenticate` knows callers by more than a bearer token',
  },
  accounts: {
    gives: 'the resource of the accounts, and their roles',
    when: 'policies should speak of `$actor.<attribute>`, and `check` should know the roles',
  },
  identify: { gives: 'the actor behind a name', when: '`npx plinth explain … --as name` should know your people' },
  actors: {
    gives: 'the actors of many accounts, by id',
    when: 'actions and listeners tell people of records that each may see',
  },
  people: {
    gives: 'accounts for tests, and the headers of their requests',
    when: 'the test kit should sign your people in',
  },
  providers: {
    gives: 'what comes of what an outside server says of somebody',
    when: 'people sign in by such servers, and tests and `plinth explain --sign-in` should know what comes of it',
  },
  mails: { gives: 'the mails that were sent', when: 'scenarios and the test kit should read what you mail' },
  texts: {
    gives: 'texts that people read outside of answers, such as the files of mails, by name',
    when: 'your plugin writes to people, who may read another language: `{ reset: new URL(…) }`',
  },
  start: {
    gives: 'work after the migration and seeds, before the first request',
    when: 'something must exist: the first admin',
  },
  commands: { gives: 'commands of `npx plinth`', when: 'people at a terminal need them' },
  check: { gives: 'a check of what you need, such as an outside server', when: '`npx plinth doctor` should report it' },
  plan: {
    gives: 'what the options would change for records that are there',
    when: '`npx plinth plan` should count whom a changed option concerns',
  },
  files: {
    gives: 'your files outside the database, and SQL that selects their keys',
    when: '`npx plinth dump` should include them',
  },
  console: {
    gives: 'pages, editors, blocks and views of the console, from one file in TypeScript and JSX',
    when: 'people should see or do something that no list, record and form shows',
  },
} as const satisfies Record<keyof Plugin, Contribution>
