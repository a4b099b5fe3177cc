/** What authors read about their mistakes: each at its place, with the nearest word, all at once. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DESK_FILES } from './desk.ts'
import { complaints, mistakes, resolveFiles, saysOfThings as says, VIEW } from './resolves.ts'

const mistaken = suite('mistakes of authors')

mistaken('all mistakes of all files are told at once, with line, caret and nearest word', () => {
  const files = {
    ...DESK_FILES,
    tickets: `${DESK_FILES.tickets}`
      .replace('filters: [level, status.slug]', 'filters: [levle, status.slog]')
      .replace('belongs_to: statuses', 'belongs_to: status'),
    ticket_comments: `${DESK_FILES.ticket_comments}`.replace('belongs_to: users', 'belongs_to: user'),
  }
  assert.snapshot(
    complaints(files),
    `ticket_comments.yaml:8:23 error unknown_resource: Unknown resource "user"
 8 │   user: { belongs_to: user, read_only: true, embed: [id, first_name] }
   │                       ^^^^
    expected: customers, labels, roles, statuses, ticket_comments, tickets, users
    hint: did you mean "users"?

tickets.yaml:10:25 error unknown_resource: Unknown resource "status"
 10 │   status: { belongs_to: status, default: { is_default: true } }
    │                         ^^^^^^
     expected: customers, labels, roles, statuses, ticket_comments, tickets, users
     hint: did you mean "statuses"?

tickets.yaml:15:11 error unknown_field: "tickets" has no field or relation "levle"
 15 │ filters: [levle, status.slog]
    │           ^^^^^
     expected: id, uid, subject, details, level, user_id, assigned_to, deleted_at, created_at, updated_at, user, assignedTo
     hint: did you mean "level"?

3 errors in 2 files
`,
  )
})

mistaken('paths follow three relations at most, one to many among them', () => {
  const meta =
    '{ type: json, schema: { type: object, properties: { size: { type: object }, name: { type: string } } } }'
  const things = `fields: { a: { type: string }, meta: ${meta} }\nrelations: { status: { belongs_to: statuses }, parts: { has_many: parts } }`
  const parts = { parts: `relations: { thing: { belongs_to: things } }\n${VIEW}` }
  says(
    `${things}\nfilters: [status.nam, parts.id, parts.idd, parts.thing.parts.id, meta.size, meta.name, meta.other, a.b, x.x.x.x.x]\nsearch: [parts.id]`,
    [
      'things.yaml [status.nam] unknown_field: "statuses" has no field or relation "nam" (did you mean "name"?)',
      'things.yaml [parts.idd] unknown_field: "parts" has no field or relation "idd" (did you mean "id"?)',
      'things.yaml [parts.thing.parts.id] wrong_path: "parts.thing.parts.id" leads to many records twice; a filter does so once',
      'things.yaml [meta.size] not_filterable: "meta.size" is object by its schema, and cannot be compared',
      'things.yaml [a.b] wrong_path: "a" is no relation ("a" is a field of "things"; only relations can be followed)',
      'things.yaml [x.x.x.x.x] wrong_path: A path follows at most 3 relations; "x.x.x.x.x" follows 4',
      'things.yaml [parts.id] not_searchable: "parts.id" (integer) is not text (search looks for parts of words; use filters for other fields)',
    ],
    parts,
  )
})

mistaken('what cannot be read that way is refused', () => {
  const things =
    'fields: { page: { type: integer }, meta: { type: json }, pass: { type: secret }, word: { type: string } }'
  says(
    `${things}\nfilters: [page, pass]\nranges: { w: word }\nsort: { keys: [meta] }\nsearch: [page]\nspecial: { kind: desk.que }\nlookup: [id, word]`,
    [
      'things.yaml [page] reserved_name: "page" means something on every list already (give it another name: { another_name: page })',
      'things.yaml [pass] not_filterable: "pass" cannot be filtered by',
      'things.yaml [word] not_filterable: "word" (string) has no from and to (a range is over a date, a timestamp or a number)',
      'things.yaml [meta] not_sortable: "meta" (json) has no order in the database (sort by a field with one short value, such as a text, a number, a date or an enum)',
      'things.yaml [page] not_searchable: "page" (integer) is not text (search looks for parts of words; use filters for other fields)',
      'things.yaml [desk.que] unknown_special: No plugin gives a special filter "desk.que" (did you mean "desk.queue"?)',
      'things.yaml [word] wrong_lookup: "word" is not unique, so it does not name one record (add "unique: true" to "word")',
    ],
  )
})

mistaken('a title is of short values that answers show', () => {
  const things =
    'fields: { name: { type: string }, pin: { type: secret }, mark: { type: string, show: never }, tags: { type: list, of: string }, meta: { type: json } }\nrelations: { status: { belongs_to: statuses } }'
  says(`${things}\ntitle: [nam, pin, mark, status]`, [
    'things.yaml [nam] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
    'things.yaml [pin] wrong_title: No answer shows "pin" (name a field that answers show)',
    'things.yaml [mark] wrong_title: No answer shows "mark" (name a field that answers show)',
    'things.yaml [status] wrong_title: "status" is a record (name a field of it, such as status.name)',
  ])
  says(`${things}\ntitle: [tags, meta, status.name]`, [
    'things.yaml [tags] wrong_title: "tags" (list) is no short value (name a short value: a text, a number, a date, an enum)',
    'things.yaml [meta] wrong_title: "meta" (json) is no short value (name a short value: a text, a number, a date, an enum)',
  ])
})

mistaken('filters are judged by the types they compare', () => {
  says(
    'fields: { n: { type: integer }, on: { type: boolean } }\nlive: { n: many, on: { gt: true }, any: [{ m: 1 }] }',
    [
      'things.yaml [many] wrong_value: "n" must be an integer (write a value of the field, as 7)',
      'things.yaml [true] invalid_filter: "on" (boolean) cannot be compared with "gt"',
      'things.yaml [m] unknown_field: "things" has no field or relation "m"',
    ],
  )
})

mistaken('a seed is written as it is stored: with all that is required, within bounds and patterns', () => {
  says(
    `fields: { name: { type: string, required: true, pattern: "^[A-Z]" }, size: { type: integer, required: true }, slug: { type: slug, required: true, from: name }, kind: { type: string, nullable: false, max: 3 } }
relations: { status: { belongs_to: statuses, required: true } }
seeds: { key: name, rows: [{ name: chair, size: null, kind: long }, { name: Table, size: 1, status: { slug: x } }] }`,
    [
      'things.yaml [{ name: chair, size: null, kind: long }] wrong_seed: The row has no "status", which every "things" must have (add status: …, or give it a default)',
      'things.yaml [chair] wrong_value: "name" has an invalid format (write a text that fits ^[A-Z])',
      'things.yaml [null] wrong_value: "size" must have a value (write a value of the field, as 7)',
      'things.yaml [long] wrong_value: "kind" must be at most 3 characters (change the value, or what the field says of its values)',
      'things.yaml [{ name: Table, size: 1, status: { slug: x } }] wrong_seed: The row has no "kind", which every "things" must have (add kind: …, or give it a default)',
      'things.yaml [{ slug: x }] wrong_seed: "status" names a record of "statuses" that no seed makes (correct it, or add the record to the seeds of "statuses")',
    ],
  )
})

mistaken('with_deleted stands around a path, and is nobody’s name', () => {
  const things =
    'fields: { all: { type: string } }\nrelations: { status: { belongs_to: statuses, where: { with_deleted: { name: x } } } }'
  says(`${things}\nlive: { with_deleted: { status.name: x } }`, [
    'things.yaml [all] reserved_name: "all" is a word of the filter language (choose another name: a filter could not speak of it)',
    'things.yaml [with_deleted] invalid_filter: Nothing in this "with_deleted" follows a relation (leave "with_deleted" out: it is about the records that paths lead through)',
    'things.yaml [{ with_deleted: { status.name: x } }] invalid_filter: "live" is of fixed values of the record itself (compare own fields that are stored with values that are written out, as { deleted_at: null })',
  ])
})

mistaken('a resource on another table says only what it can', () => {
  const base = `fields: { name: { type: string, required: true }, kind: { type: enum, values: [a, b] } }\n${VIEW}`
  const circle = { one: `of: two\n${VIEW}`, two: `of: one\n${VIEW}` }
  const guest =
    'of: base\nwhere: { kind: { ne: a } }\nfields: { nam: { type: string }, kind: { type: string, column: sort } }'
  says(
    guest,
    [
      'things.yaml [base] of_mismatch: "base" requires the field "name", which "things" neither has nor sets (list it, let "where" fix it, or leave "create" out of the actions)',
      'things.yaml [{ kind: { ne: a } }] scope_not_assignable: A new record of "things" cannot be given what this condition asks (use plain equalities, or leave "create" out of the actions)',
      'things.yaml [nam] unknown_field: "base" has no field "nam" that "things" could take over (did you mean "name"?)',
      'things.yaml [string] of_mismatch: "type" is decided by "base", whose table this is (leave "type" out)',
      'things.yaml [sort] of_mismatch: "column" is decided by "base", whose table this is (leave "column" out)',
      'two.yaml [one] of_cycle: "one" is based on itself: one → two → one (leave "of" out where the resource has a table of its own)',
    ],
    { base, ...circle },
  )
})

mistaken('names, paths and tables belong to one resource', () => {
  says('fields: { id: { type: integer } }\npath: statuses\ntable: statuses', [
    'things.yaml [id] reserved_name: Every record has an "id" already (remove it, or give the field another name; `id: uuid` next to "fields" says which type the ids have)',
    'things.yaml [statuses] duplicate_path: The path "/statuses" is the one of "statuses" already (give one of them another "path")',
    'things.yaml [statuses] name_clash: The table "statuses" is the one of "statuses" already (write "of: statuses" to use its table)',
  ])
  assert.equal(mistakes({ a: `resource: x\n${VIEW}`, b: `resource: x\n${VIEW}` }), [
    'b.yaml [x] duplicate_resource: The resource "x" is declared in a.yaml already (one file declares one resource; give this one another name or remove it)',
  ])
})

mistaken('hooks, restores, slugs, counts and defaults must lead somewhere', () => {
  says(
    'fields: { s: { type: slug, from: nam }, name: { type: string, default: $now }, c: { type: count, of: parts }, p: { type: integer, computed: { count: part } }, on: { type: boolean, default: maybe } }\nactions: [restore]\nhooks: { update: [desk.stam] }',
    [
      'things.yaml [nam] unknown_field: "things" has no field "nam" to make a slug from (did you mean "name"?)',
      'things.yaml [$now] wrong_value: "$now" is a default of timestamp fields only (write type: timestamp, or a value of the type string)',
      'things.yaml [parts] unknown_field: "things" has no has_many relation "parts" to count (add it: relations: { parts: { has_many: … } })',
      'things.yaml [{ count: part }] unknown_field: "things" has no relation "part" to many records (add it: relations: { part: { has_many: … } })',
      'things.yaml [maybe] wrong_value: The default of "on" must be true or false (write a value of the field, as true or false)',
      'things.yaml [restore] missing_live: A record that is removed for good cannot be restored (add "soft_delete: true" and "restore: true", or take restore away)',
      'things.yaml [desk.stam] unknown_hook: No plugin gives a hook "desk.stam" (did you mean "desk.stamp"?)',
    ],
  )
})

mistaken('embeds say what they show, not deeper than the limit', () => {
  const files = {
    users: `fields: { name: { type: string }, password: { type: secret } }\nrelations: { team: { belongs_to: teams, embed: [id, lead] } }\n${VIEW}`,
    teams: `relations: { lead: { belongs_to: users, embed: [id, team, password] } }\n${VIEW}`,
  }
  assert.equal(mistakes(files), [
    'teams.yaml [team] embed_too_deep: "team" is embedded more than 3 records deep (name fields instead: { alias: relation.field })',
    'teams.yaml [password] unknown_field: "password" never leaves the server',
    'users.yaml [lead] embed_too_deep: "lead" is embedded more than 3 records deep (name fields instead: { alias: relation.field })',
  ])
})

mistaken('clauses name somebody, fields that can be written, and values that fit', () => {
  const things = `fields: { a: { type: integer }, u: { type: sequence } }\npolicies: { view: [{ where: { a: 1 } }, { who: anyone, set: { a: 1 } }], create: [{ who: anyone, fields: [aa, u], set: { a: x, b: 1 } }], update: [], delete: [] }`
  const said = mistakes({ things })
  assert.match(said.join('\n'), /"u" is read-only and cannot be written/)
  assert.match(said.join('\n'), /"things" has no field or relation "aa"/)
  assert.match(said.join('\n'), /"a" must be an integer/)
  assert.match(said.join('\n'), /"set" belongs to create and update; view writes nothing/)
  assert.match(said.join('\n'), /needs "permission" or "role" or "who"|A clause says whom it is about/)
})

mistaken('access rules, nested routes, joining tables and limits are held to their form', () => {
  const long = 'a_name_that_is_just_about_as_long_as_a_name_may_be'
  const parts = { parts: `relations: { thing: { belongs_to: things } }\n${VIEW}`, [long]: VIEW }
  says(
    `fields: { a: { type: string, read: { permission: x.y, role: z } } }\nrelations: { parts: { has_many: parts }, many: { many_to_many: ${long} } }\nnested: { parts: { actions: [list] } }`,
    [
      'things.yaml [{ permission: x.y, role: z }] wrong_access: An access rule names one of permission, role and who (write alternatives as a list)',
      'things.yaml [parts] wrong_relation: Routes are below the record that "things" belongs to; "parts" is has_many',
    ],
    { parts: parts.parts, [long]: VIEW },
  )
  const { diagnostics } = resolveFiles(
    {
      [long]: `relations: { many: { many_to_many: other_${long.slice(6)} } }\n${VIEW}`,
      [`other_${long.slice(6)}`]: VIEW,
    },
    'name: X\nlimits: { perPageMax: 10, perPageDefault: 12 }',
  )
  assert.equal(
    diagnostics.map(({ code }) => code),
    ['name_too_long', 'wrong_limit'],
  )
  assert.is(resolveFiles({}, 'name: X\nlimits: { perPageMax: 10 }').value?.limits.perPageDefault, 10)
})

mistaken('a mistake of a clause has the place of that clause, whatever clauses before it are about nobody', () => {
  const nobody = '{ fields: [name] }'
  const empty = '{ who: signed_in, fields: [] }'
  const fits = '{ who: signed_in }'
  /** The line of the first clause, behind the one that names the resource. */
  const FIRST = 6
  fc.assert(
    fc.property(fc.array(fc.constantFrom(nobody, empty, fits), { minLength: 1, maxLength: 6 }), (clauses) => {
      const text = `fields: { name: { type: string } }\npolicies:\n  view: [{ who: anyone }]\n  update:\n${clauses.map((one) => `    - ${one}\n`).join('')}`
      const { diagnostics } = resolveFiles({ things: text })
      const lines = diagnostics
        .filter(({ message }) => /says whom it is about|change nothing/.test(message))
        .map(({ message, span }) => `${span!.source.text.slice(0, span!.start).split('\n').length} ${message}`)
      const expected = clauses.flatMap((one, at) => {
        if (one === fits) return []
        return `${at + FIRST} ${one === nobody ? 'A clause says whom it is about' : 'This clause lets people change nothing'}`
      })
      assert.equal(lines.sort(), [...expected].sort())
    }),
  )
})

mistaken('seeds must be found again', () => {
  says(
    'fields: { name: { type: string }, n: { type: integer } }\nseeds: { key: name, rows: [{ n: 1 }, { name: x, n: y, z: 1 }] }',
    [
      'things.yaml [{ n: 1 }] wrong_seed: The row has no "name", by which it would be found again (add name: …)',
      'things.yaml [y] wrong_value: "n" must be an integer (write a value of the field, as 7)',
      'things.yaml [z] unknown_field: "things" has no field or relation "z"',
    ],
  )
})

mistaken('seeds hold what a body could write', () => {
  says(
    'fields: { name: { type: string }, code: { type: string, pattern: "^[A-Z]+$" }, at: { type: timestamp } }\nseeds: { key: name, rows: [{ name: "two\\nlines", code: low, at: 2026-01-01 }] }',
    [
      'things.yaml ["two\\nlines"] wrong_value: "name" must be one line of text (write a value of the field, as "a text")',
      'things.yaml [low] wrong_value: "code" has an invalid format (write a text that fits ^[A-Z]+$)',
    ],
  )
})

mistaken('two lookups that one text could mean are a warning, and the path says which', () => {
  const warned = (fields: string, lookup: string) =>
    complaints({ things: `fields: { ${fields} }\nlookup: ${lookup}\n${VIEW}` }, 'warning')
  assert.snapshot(
    warned('number: { type: sequence, start: 10001 }', '[id, number]'),
    `things.yaml:3:14 warning ambiguous_lookup: In a path "10001" could be the id or the number; it is taken for the id
 3 │ lookup: [id, number]
   │              ^^^^^^
    hint: write /things/number:10001 for the number, or let the sequence "number" start above 2147483647

1 warning in 1 file
`,
  )
  assert.match(warned('code: { type: string, unique: true }', '[id, code]'), /could be the id or the code/)
  assert.match(warned('n: { type: integer, unique: true }', '[n, id]'), /it is taken for the n/)
  const number = (id: string) => warned('number: { type: sequence, start: 10001 }', `[id, number]\nid: ${id}`)
  assert.is(number('uuid'), '')
  assert.match(number('bigint'), /could be the id or the number/)
  assert.match(number('bigint'), /\n {4}hint: write \/things\/number:10001 for the number\n/)
  assert.match(number('string'), /could be the id or the number/)
  assert.match(warned('code: { type: string, unique: true }', '[id, code]\nid: uuid'), /could be the id or the code/)
  for (const [fields, lookup] of [
    ['uid: { type: sequence, start: 3000000001 }', '[id, uid]'],
    ['name: { type: string }, slug: { type: slug, from: name }', '[id, slug]'],
    ['code: { type: string, unique: true, pattern: "^[A-Z]{3}-[0-9]+$" }', '[id, code]'],
    ['email: { type: email, unique: true }', '[id, email]'],
  ] as const)
    assert.not.match(warned(fields, lookup), /ambiguous_lookup/)
})

mistaken('an action that nobody may do is a warning', () => {
  assert.snapshot(
    complaints({ things: 'actions: [list, delete]\npolicies: { view: [{ who: anyone }] }' }, 'warning'),
    `things.yaml:3:1 warning missing_policy: Nobody may delete "things"
 3 │ policies: { view: [{ who: anyone }] }
   │ ^^^^^^^^
    hint: add a policy for delete, an empty list if that is meant, or take the action away

1 warning in 1 file
`,
  )
})

mistaken('whatever word of a file is wrong, it is told and never thrown', () => {
  for (const name of ['tickets', 'customers']) {
    const text = DESK_FILES[name]!
    for (const [index, word] of [...text.matchAll(/\w+/g)].entries()) {
      const wrong = ['zzz', '5', '[]', 'null'][index % 4]!
      const files = {
        ...DESK_FILES,
        [name]: text.slice(0, word.index) + wrong + text.slice(word.index + word[0].length),
      }
      const { value, diagnostics } = resolveFiles(files)
      const failed = diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
      assert.is(value === undefined, failed, `${wrong} for "${word[0]}" in ${name}`)
      assert.ok(diagnostics.every((diagnostic) => diagnostic.span !== undefined))
    }
  }
})

mistaken.run()
