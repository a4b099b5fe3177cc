/** What authors read about rules that cannot be judged, and what rules of a part of a table are. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, resourceOf, VIEW } from './resolves.ts'

const rules = suite('mistakes in rules')

const ITEMS = 'fields: { name: { type: string }, sold: { type: boolean }, made: { type: string, immutable: true } }'
const THINGS = `fields: { uid: { type: sequence, start: 1 }, name: { type: string }, from: { type: date }, to: { type: date }, n: { type: integer }, price: { type: decimal, precision: 9, scale: 2 }, words: { type: list, of: string } }
relations: { item: { belongs_to: items }, other: { belongs_to: items, column: other_id }, owner: { belongs_to: owners } }
${VIEW}
`
const says = (text: string, expected: readonly string[]) =>
  assert.equal(
    mistakes({
      things: `${THINGS}rules:\n  it: ${text}`,
      items: `${ITEMS}\n${VIEW}`,
      owners: `fields: { name: { type: string } }\n${VIEW}`,
    }),
    expected,
  )

rules('a rule that fits has no mistakes', () => {
  says('{ must: { from: { lte: $record.to } }, says: No }', [])
  says('{ must: { n: { lte: $record.price } }, says: No }', [])
  says('{ must: { item: { ne: $record.other } }, says: No, at: other }', [])
  says('{ must: { item.made: { eq: $record.name } }, says: No, at: name }', [])
  says('{ must: { name: $before.name }, on: [update, delete], says: No }', [])
})

rules('an unknown field is told wherever it stands, with the nearest word', () => {
  says('{ must: { form: { lte: $record.two } }, when: { nam: x }, says: No, at: tow, changed: [frm] }', [
    'things.yaml [lte] unknown_field: "things" has no field or relation "form" (did you mean "from"?)',
    'things.yaml [nam] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
    'things.yaml [tow] unknown_field: "things" has no field or relation "tow" (did you mean "to"?)',
    'things.yaml [frm] unknown_field: "things" has no field or relation "frm" (did you mean "from"?)',
  ])
  says('{ must: { from: { lte: $record.two } }, says: No }', [
    'things.yaml [$record.two] unknown_field: "things" has no field or relation "two" (did you mean "to"?)',
  ])
})

rules('values that can never be compared are told', () => {
  says('{ must: { from: { lte: $record.name } }, says: No }', [
    'things.yaml [$record.name] wrong_value: "from" (date) is never what a value of string is, which $record.name is',
  ])
  says('{ must: { item: $record.owner }, says: No }', [
    'things.yaml [$record.owner] wrong_value: "item_id" (items) is never what a value of owners is, which $record.owner is',
  ])
  says('{ must: { words: { eq: $record.words } }, says: No }', [
    'things.yaml [$record.words] invalid_filter: "words" (list) cannot be compared with "eq"',
  ])
  says('{ must: { name: { contains: $record.name } }, says: No }', [
    'things.yaml [$record.name] invalid_filter: "contains" takes a value that is written out',
  ])
})

rules('what cannot be judged is refused with the reason', () => {
  says('{ must: { name: $before.name }, on: [create], says: No }', [
    'things.yaml [$before.name] invalid_filter: A new record has no "$before" (it is what is stored before an update: take it into a rule about updates)',
  ])
  says('{ must: { uid: { ne: 5 } }, says: No }', [
    'things.yaml [it] wrong_rule: "uid" is given by the database when the record is stored, after its rules are judged (take it out, or write on: [update])',
  ])
  says('{ must: { name: x }, on: [delete], says: No, at: name }', [
    'things.yaml [at] wrong_rule: A delete or restore sends no fields, so its rule answers 409 (take "at" away)',
  ])
  says('{ must: { item.sold: true }, says: No }', [
    'things.yaml [it] wrong_rule: The rule "it" looks at "sold" of "items", which can change there (add "holds: when_written" if a thing is to be judged only when it is written itself)',
  ])
  says('{ must: { name: x }, says: No, holds: when_written }', [
    'things.yaml [holds] wrong_rule: The rule "it" looks at nothing that others can change, so it always holds (take "holds" away)',
  ])
})

rules('a rule is about one thing, and says what people are told', () => {
  says('{ says: No }', ['things.yaml [it] wrong_rule: The rule "it" does not say what must hold'])
  says('{ must: { name: x } }', [
    'things.yaml [it] missing_key: The rule "it" needs the key "says" (add says: "…", the sentence that people are told)',
  ])
  says('{ must: { name: x }, at_least: 1, per: item, says: No }', [
    'things.yaml [at_least] wrong_rule: "at_least" does not go with "must"',
    'things.yaml [per] wrong_rule: "per" does not go with "must"',
  ])
})

rules('rules about several records name fields that can be counted, alone or without overlap', () => {
  says('{ at_least: 1, where: { name: x }, per: [item, n], says: No }', [])
  says('{ no_overlap: [from, to], where: { name: { ne: x } }, per: item, says: No, at: from }', [])
  says('{ at_least: 1, where: { item.sold: true }, says: No }', [
    'things.yaml [it] wrong_rule: The rule "it" looks at "sold" of "items", which can change there (add "holds: when_written" if a thing is to be judged only when it is written itself)',
  ])
  says('{ only_one: name }', [
    'things.yaml [name] wrong_rule: "name" (string) is no yes or no, so no record can be the only one with a yes (name a boolean field)',
  ])
  says('{ no_overlap: [from, name], says: No }', [
    'things.yaml [name] wrong_rule: "name" must be a day or a moment, as "from" must (name two stored fields of type date, or two of type timestamp)',
  ])
  says('{ no_overlap: [from, to], where: { from: { gte: $today } }, says: No }', [
    'things.yaml [{ from: { gte: $today } }] wrong_rule: What may not overlap is an index of the database, which knows the fields of the record and fixed values only (compare own fields with values that are written out)',
  ])
  says('{ at_most: 2, where: { nmae: x }, per: itme, says: No }', [
    'things.yaml [nmae] unknown_field: "things" has no field or relation "nmae" (did you mean "name"?)',
  ])
})

rules('what is asked of many records needs a relation that leads to many, and says how long it holds', () => {
  const files = (rule: string) => ({
    things: `fields: { name: { type: string } }\nrelations: { parts: { has_many: parts }, tags: { many_to_many: tags }, far: { has_many: screws, through: part } }\n${VIEW}\nrules: { it: ${rule} }`,
    parts: `fields: { name: { type: string } }\nrelations: { thing: { belongs_to: things }, screws: { has_many: screws } }\n${VIEW}`,
    screws: `fields: { name: { type: string } }\nrelations: { part: { belongs_to: parts } }\n${VIEW}`,
    tags: `fields: { name: { type: string } }\n${VIEW}`,
  })
  const told = (rule: string, expected: readonly string[]) => assert.equal(mistakes(files(rule)), expected)
  told('{ must: { parts: { count: { lte: 3 }, where: { name: $record.name } } }, holds: always, says: No }', [])
  told('{ must: { parts: { every: { screws: { some: {} } } } }, holds: when_written, says: No }', [])
  told('{ must: { parts: { none: {} } }, says: No }', [
    'things.yaml [it] wrong_rule: The rule "it" looks at "parts" of "parts", which can change there (add "holds: when_written" if a thing is to be judged only when it is written itself)',
  ])
  told('{ must: { tags: { some: {} } }, holds: when_written, says: No }', [])
  told('{ must: { tags: { some: { name: $record.name } } }, holds: always, says: No }', [])
  told('{ on: [update], must: { tags: { some: { name: $before.name } } }, holds: when_written, says: No }', [
    'things.yaml [it] wrong_rule: "tags" is written after the record, when what was before is gone (make two rules of it, one with "$before" and one with the relation)',
  ])
  told('{ must: { far: { some: {} } }, holds: always, says: No }', [])
  told('{ on: [update], must: { parts: { some: { name: $before.name } } }, holds: always, says: No }', [
    'things.yaml [always] wrong_rule: "holds: always" is judged without a request, by what is stored: it speaks of the caller, or of what was stored before (write holds: when_written, or say it with less)',
  ])
  told('{ must: { name: { some: {} } }, says: No }', [
    'things.yaml [name] wrong_path: "name" does not lead to many records',
  ])
  told('{ must: { parts: { some: {}, count: 3 } }, says: No }', [
    'things.yaml [count] invalid_filter: "count" does not go with "some"',
  ])
  told('{ must: { parts: { count: { contains: x } } }, says: No }', [
    'things.yaml [{ contains: x }] invalid_filter: A count cannot be compared with "contains"',
  ])
  const indexed = files('{ must: { name: x }, says: No }')
  assert.equal(mistakes({ ...indexed, things: `${indexed.things}\nlive: { parts: { none: {} } }` }), [
    'things.yaml [{ parts: { none: {} } }] invalid_filter: This condition cannot ask for the records of "parts" (an index, and the search for one record, know the fields of the record itself)',
  ])
})

rules('what records come to is a value that the field can hold', () => {
  const told = (field: string, expected: readonly string[]) =>
    assert.equal(
      mistakes({
        things: `fields: { it: ${field} }\nrelations: { parts: { has_many: parts } }\n${VIEW}`,
        parts: `fields: { n: { type: integer }, price: { type: decimal, precision: 9, scale: 2 }, on: { type: date } }\nrelations: { thing: { belongs_to: things } }\n${VIEW}`,
      }),
      expected,
    )
  told('{ type: decimal, precision: 9, scale: 2, computed: { avg: parts.n } }', [])
  told('{ type: date, computed: { max: parts.on } }', [])
  told('{ type: integer, computed: { count: parts } }', [])
  told('{ type: integer, computed: { sum: parts.price } }', [
    'things.yaml [{ sum: parts.price }] wrong_option: "it" (integer) cannot hold the sum of "price" (decimal)',
  ])
  told('{ type: decimal, precision: 9, scale: 2, computed: { sum: parts.prize } }', [
    'things.yaml [{ sum: parts.prize }] unknown_field: "parts" has no field "prize" that could be added up or compared (did you mean "price"?)',
  ])
  told('{ type: decimal, precision: 9, scale: 2, computed: { sum: part.price } }', [
    'things.yaml [{ sum: part.price }] unknown_field: "things" has no relation "part" to many records (did you mean "parts"?)',
  ])
  told('{ type: string, computed: { count: parts } }', [
    'things.yaml [{ count: parts }] wrong_option: A count is an integer, and "it" is string',
  ])
})

rules('other conditions know no record to compare with', () => {
  const files = {
    things: `${THINGS}where: { name: $record.name }`.replace('$record.name }', '$record.name }\nof: items'),
  }
  assert.ok(mistakes({ ...files, items: ITEMS, owners: '' }).length > 0)
  assert.equal(
    mistakes({ things: `fields: { a: { type: string }, b: { type: string } }\nlive: { a: $record.b }\n${VIEW}` }),
    [
      'things.yaml [$record.b] invalid_filter: "$record" means something where a write is judged (take it into a rule, a policy, or what may be chosen for a relation)',
    ],
  )
})

rules('a rule of a part of a table speaks of that part, whichever resource writes it', () => {
  const files = {
    things: `fields: { name: { type: string }, kind: { type: string } }\nrules: { a: { must: { name: { ne: x } }, says: A } }\n${VIEW}`,
    parts: `of: things\nwhere: { kind: part }\nfields: { name: {} }\nrules: { b: { must: { name: { ne: y } }, says: B } }\n${VIEW}`,
  }
  for (const name of ['things', 'parts']) {
    const [first, second] = [...resourceOf(files, name).rules].sort((a, b) => (a.name < b.name ? -1 : 1))
    assert.is(first?.when, undefined)
    assert.is(second?.when?.kind, 'compare')
    assert.equal([...(second?.reads ?? [])].sort(), ['kind', 'name'])
  }
})

rules('moves name words that there are, of an enum or by a field of the other record', () => {
  const files = (moves: string) => ({
    things: `fields: { n: { type: integer }, state: { type: enum, values: [open, done] } }\nrelations: { item: { belongs_to: items } }\n${VIEW}\nmoves: ${moves}`,
    items: `fields: { name: { type: string }, kind: { type: enum, values: [a, b] } }\n${VIEW}`,
  })
  const told = (moves: string, expected: readonly string[]) => assert.equal(mistakes(files(moves)), expected)
  told('{ state: { allow: [{ from: open, to: done }, { from: any, to: [open], role: admin }] } }', [])
  told('{ item: { by: kind, allow: [{ from: a, to: any, permission: things.move }] } }', [])
  told('{ state: { allow: [{ from: opne, to: [done, finished] }] } }', [
    'things.yaml [opne] unknown_word: "opne" is none of the words that moves speak of here (did you mean "open"?)',
    'things.yaml [finished] unknown_word: "finished" is none of the words that moves speak of here',
  ])
  told('{ n: { allow: [{ from: any, to: any }] } }', [
    'things.yaml [n] wrong_rule: "n" (integer) has no words that moves could speak of (moves are for an enum, or for a relation with "by")',
  ])
  told('{ item: { allow: [{ from: any, to: any }] } }', [
    'things.yaml [item] wrong_rule: "item" leads to another record: which of its words do the moves speak of? (add by: kind, a field of "items")',
  ])
  told('{ item: { by: knid, allow: [{ from: any, to: any }] }, sate: { allow: [{ from: any, to: any }] } }', [
    'things.yaml [knid] unknown_field: "items" has no field "knid" (did you mean "kind"?)',
    'things.yaml [sate] unknown_field: "things" has no field or relation "sate" (did you mean "state"?)',
  ])
})

rules('what follows is a value that the field can hold', () => {
  const told = (follow: string, expected: readonly string[]) =>
    assert.equal(
      mistakes({
        things: `${THINGS}follows: [${follow}]`,
        items: `${ITEMS}\n${VIEW}`,
        owners: `fields: { name: { type: string } }\n${VIEW}`,
      }),
      expected,
    )
  told('{ when: { item.sold: true }, changed: item, set: { from: $today, name: { text: "{{ item.name }}!" } } }', [])
  told('{ set: { item: { name: Drill }, to: { plus: [$record.from, 7 days] }, n: { plus: [$before.n, 1] } } }', [])
  told('{ set: { price: { times: [$record.n, $record.price] }, other: { first: [$record.item, $before.other] } } }', [])
  told('{ set: { form: 1, uid: 2 }, changed: nmae }', [
    'things.yaml [form] unknown_field: "things" has no field or relation "form" (did you mean "from"?)',
    'things.yaml [uid] unknown_field: "uid" is given by the database and cannot be set',
    'things.yaml [nmae] unknown_field: "things" has no field or relation "nmae" (did you mean "name"?)',
  ])
  told('{ set: { n: $record.price } }', [
    'things.yaml [$record.price] wrong_value: "n" (integer) would cut what "price" (decimal) holds',
  ])
  told('{ set: { n: $record.name, item: $record.owner } }', [
    'things.yaml [$record.name] wrong_value: "n" (integer) is never what a value of string is, which $record.name is',
    'things.yaml [$record.owner] wrong_value: "item_id" (items) is never what a value of owners is, which $record.owner is',
  ])
  told('{ set: { from: { plus: [$today, 4 hours] }, n: { times: 5 }, name: { plus: [1, 2] } } }', [
    'things.yaml [[$today, 4 hours]] wrong_value: "from" takes a value and a span of time here',
    'things.yaml [5] wrong_value: "n" takes a list here',
    'things.yaml [[1, 2]] wrong_value: "name" is no number',
  ])
  told('{ on: [create], set: { name: $before.name } }', [
    'things.yaml [$before.name] invalid_filter: A new record has no "$before" (it is what is stored before an update: take it into a rule about updates)',
  ])
})

rules.run()
