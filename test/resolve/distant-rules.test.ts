/** What authors read about rules that others can break. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, VIEW } from './resolves.ts'

const rules = suite('mistakes in rules that always hold')

rules('a rule that always holds cannot look at what the database takes away by itself', () => {
  const told = (onDelete: string, rule: string, expected: readonly string[]) =>
    assert.equal(
      mistakes({
        things: `relations: { parts: { has_many: parts }, box: { belongs_to: boxes, on_delete: ${onDelete} } }\n${VIEW}\nrules: { it: ${rule} }`,
        parts: `relations: { thing: { belongs_to: things }, box: { belongs_to: boxes, on_delete: ${onDelete} } }\n${VIEW}`,
        boxes: `fields: { name: { type: string } }\n${VIEW}`,
      }),
      expected,
    )
  const some = '{ must: { parts: { some: {} } }, holds: always, says: No }'
  const named = '{ must: { box.name: x }, holds: always, says: No }'
  const hint = 'and no rule is judged then (write on_delete: restrict there, or holds: when_written)'
  told('restrict', some, [])
  told('restrict', named, [])
  told('cascade', some, [
    `things.yaml [always] wrong_rule: "holds: always" cannot hold: the database itself removes records of "parts" with those of "boxes", ${hint}`,
  ])
  told('set_null', named, [
    `things.yaml [always] wrong_rule: "holds: always" cannot hold: the database itself clears "box" when its record is removed, ${hint}`,
  ])
})

rules('a rule over several relations holds only where the database takes nothing away on the way', () => {
  const told = (first: string, second: string, expected: readonly string[], count = '') =>
    assert.equal(
      mistakes({
        things: `relations: { box: { belongs_to: boxes, on_delete: ${first} } }\n${VIEW}\nrules: { it: { must: { box.room.size: 1 }, holds: always, says: No } }`,
        boxes: `relations: { room: { belongs_to: rooms, on_delete: ${second} } }\n${VIEW}`,
        rooms: `fields: { size: { type: integer${count} } }\nrelations: { boxes: { has_many: boxes } }\n${VIEW}`,
      }),
      expected,
    )
  const hint = 'and no rule is judged then (write on_delete: restrict there, or holds: when_written)'
  const silent = (what: string) => [
    `things.yaml [always] wrong_rule: "holds: always" cannot hold: the database itself ${what}, ${hint}`,
  ]
  told('restrict', 'restrict', [])
  told('cascade', 'cascade', [])
  told('restrict', 'set_null', silent('clears "room" when its record is removed'))
  told('set_null', 'restrict', silent('clears "box" when its record is removed'))
  told(
    'restrict',
    'restrict',
    [
      'things.yaml [always] wrong_rule: "holds: always" is judged without a request, by what is stored: "size" is computed of other records (write holds: when_written, or say it with less)',
    ],
    ', computed: "(select 1)"',
  )
})

rules.run()
