/** What looks like a contradiction and is none: each stands beside one that is refused in test/definition/broken. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, VIEW } from './resolves.ts'

const right = suite('no mistakes')

const FIELDS =
  'fields: { name: { type: string, required: true }, n: { type: integer, min: 1, max: 9 }, kind: { type: enum, values: [a, b] }, on: { type: boolean }, day: { type: date }, until: { type: date }, at: { type: timestamp } }\n'
const TAGS = `fields: { name: { type: string }, kind: { type: enum, values: [a, b], default: a }, slug: { type: slug, from: name, unique: true } }\nseeds: { key: name, rows: [{ name: Red }, { name: Blue, kind: b }] }\n${VIEW}`

const OLDS = `existing: true\nfields: { name: { type: string } }\n${VIEW}`

const where = (filter: string): string => `${FIELDS}policies: { view: [{ who: anyone, where: ${filter} }] }`

const CASES: Readonly<Record<string, string>> = {
  'bounds that meet in one value': where('{ n: { gte: 3, lte: 3 } }'),
  'a range, and a value in it': where('{ n: 3, all: [{ n: { gt: 1, lt: 9 } }] }'),
  'other than two values': where('{ n: { ne: 3 }, all: [{ n: { ne: 4 } }] }'),
  'absent, or none of the words': where('{ kind: { not_in: [a, b] } }'),
  'two values of which one is enough': where('{ any: [{ n: 3 }, { n: 4 }] }'),
  'absent, and other than a value': where('{ n: null, all: [{ n: { ne: 4 } }] }'),
  'one moment in two forms': where('{ at: { gte: "2026-01-01T00:00:00Z", lte: "2026-01-01T01:00:00+01:00" } }'),
  'two of many': where('{ tags: { some: { kind: a } }, all: [{ tags: { some: { kind: b } } }] }').replace(
    'policies',
    'relations: { tags: { many_to_many: tags } }\npolicies',
  ),
  'a unique text that is short': `fields: { it: { type: text, max: 600, unique: true } }\n${VIEW}`,
  'a unique moment that is made': `fields: { it: { type: timestamp, default: $now, unique: true } }\n${VIEW}`,
  'a default of null where null may be': `fields: { it: { type: string, default: null } }\n${VIEW}`,
  'a secret that is never shown': `fields: { it: { type: secret, show: never } }\n${VIEW}`,
  'a secret by which a plugin finds a record': `fields: { it: { type: secret, protect: as_sent, unique: true, read_only: true } }\n${VIEW}`,
  'a yes for one record, and none for the others': `fields: { it: { type: boolean, unique: true } }\n${VIEW}`,
  'an earlier name of what is computed': `fields: { it: { type: string, computed: "'x'", renamed_from: that } }\n${VIEW}`,
  'an existing table, and what it does with its own references': `existing: true\nrelations: { tag: { belongs_to: tags, on_delete: cascade } }\n${VIEW}`,
  'an optional field without null that follows': `fields: { it: { type: string, nullable: false }, name: { type: string, required: true } }\nfollows: [{ set: { it: $record.name } }]\npolicies: { view: [], create: [{ who: anyone }] }`,
  'SQL with a table of its own that is called t': `fields: { it: { type: integer, computed: "(select count(*) from tags t where t.slug = 'x')" } }\n${VIEW}`,
  'SQL with a text that looks like a column': `fields: { it: { type: string, computed: "'t.nothing' || t.id" } }\n${VIEW}`,
  'a relation to what is seeded with a default': `${FIELDS}relations: { tag: { belongs_to: tags } }\nseeds: { key: name, rows: [{ name: A, tag: { kind: a } }, { name: B, tag: { slug: red } }] }\n${VIEW}`,
  'seeds that name each other in one direction': `${FIELDS}relations: { whole: { belongs_to: things } }\nseeds: { key: name, rows: [{ name: A, whole: { name: B } }, { name: B }] }\n${VIEW}`,
  'a seed that names a record of a table which was there before': `${FIELDS}relations: { old: { belongs_to: olds } }\nseeds: { key: name, rows: [{ name: A, old: { name: B } }] }\n${VIEW}`,
  'seeds one after the other': `${FIELDS}rules: { r: { no_overlap: [day, until], says: No } }\nseeds: { key: name, rows: [{ name: A, day: 2026-01-01, until: 2026-01-02 }, { name: B, day: 2026-01-03, until: 2026-01-04 }] }\n${VIEW}`,
  'one yes for each': `${FIELDS}rules: { r: { only_one: on, per: kind } }\nseeds: { key: name, rows: [{ name: A, on: true, kind: a }, { name: B, on: true, kind: b }] }\n${VIEW}`,
  'a seed of what is unique where it is null': `fields: { name: { type: string }, code: { type: string, unique: true } }\nseeds: { key: name, rows: [{ name: A }, { name: B }] }\n${VIEW}`,
  'a value that the caller may leave out': `${FIELDS}policies: { view: [], create: [{ who: anyone, fields: [name] }] }`,
  'a required value that the clause sets': `${FIELDS}policies: { view: [], create: [{ who: anyone, fields: [n], set: { name: x } }] }`,
  'a word "any" among others in a list': `fields: { kind: { type: enum, values: [any, b] } }\nmoves: { kind: { allow: [{ from: [any], to: b }] } }\n${VIEW}`,
  'a rule that was changed and created': `${FIELDS}rules: { r: { on: [create, update], changed: n, must: { n: { gt: 1 } }, says: No } }\n${VIEW}`,
  'a delete that sets what the living lack': `${FIELDS}live: { at: null, on: null }\ndelete_sets: { at: $now }\nrestore_sets: { at: null }\n${VIEW}`,
}

for (const [name, things] of Object.entries(CASES)) {
  right(name, () => {
    assert.equal(mistakes({ things, tags: TAGS, olds: OLDS }), [])
  })
}

right.run()
