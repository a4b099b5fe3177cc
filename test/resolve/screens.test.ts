/** Views, layout and buttons: what is wrong with them is said at its place, and what is right becomes part of the catalog. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ICONS } from '../../engine/definition/screen-schema.ts'
import { mistakes, resolved, resolveFiles } from './resolves.ts'

const test = suite('screens')

const OPEN =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }\nactions: [list, get, create, update]'
const KINDS = `fields: { name: { type: string }, color: { type: color }, slug: { type: slug, from: name, unique: true } }\nfilters: [slug]\n${OPEN}`
const NOTES = `relations: { thing: { belongs_to: things } }\nfields: { text: { type: string } }\nnested: { thing: { path: notes, actions: [list, create] } }\n${OPEN}`

/** The mistakes of `things` with these lines. */
function says(lines: string, severity: 'error' | 'warning' = 'error'): readonly string[] {
  return mistakes({ things: thingsWith(lines), kinds: KINDS, notes: NOTES }, severity)
}

function thingsWith(lines: string): string {
  return `fields:
  name: { type: string, required: true }
  state: { type: enum, values: [open, done], default: open }
  due: { type: date }
  price: { type: decimal, precision: 9, scale: 2 }
  secret: { type: string, show: never }
  cost: { type: integer, read: { role: boss } }
relations:
  kind: { belongs_to: kinds, embed: [id, name] }
  notes: { has_many: notes, embed: [id, text] }
  silent: { belongs_to: kinds, embed: false }
filters: [state, due, kind_id]
sort: { keys: [name, due] }
summary: { by: [state, due, kind], of: [price] }
${OPEN}
${lines}`
}

const view = (text: string): string => `views: { v: ${text} }`
const line = (at: string, code: string, message: string): string => `things.yaml [${at}] ${code}: ${message}`

test('everything that a view can say is taken, and a view that is like another one has what that says', () => {
  const catalog = resolved({
    things: thingsWith(`icon: box
views:
  queue: { label: Queue, where: { state: open }, columns: [name, kind.name, state], sort: [-due, name], count: true }
  mine: { like: queue, where: { kind.slug: big } }
  board: { as: board, by: state, card: [name, kind] }
  due: { as: calendar, at: due, title: name, rows: kind }
  now: { as: figures, over: last 30 days of due, tiles: [{ number: avg of price }, { line: count, by: month of due }, { table: count, by: [state, kind], where: { state: open } }] }
layout:
  form: [name, [state, due]]
  record: { main: [name, { thread: [notes], write: { notes: [text] } }], side: [{ label: More, fields: [kind], when: { state: open } }], below: [notes] }
buttons:
  done: { key: d, when: { state: open }, set: { state: done, kind: { slug: big } }, create: { notes: [text] } }`),
    kinds: KINDS,
    notes: NOTES,
  })
  const { buttons, icon, layout, views } = catalog.resources.get('things')!.screens
  assert.is(icon, 'box')
  assert.equal([...views.keys()], ['queue', 'mine', 'board', 'due', 'now'])
  const mine = views.get('mine')!
  assert.equal(mine.where, [{ state: 'open' }, { 'kind.slug': 'big' }])
  assert.equal([mine.label, mine.said.sort, mine.said.count], ['Mine', ['-due', 'name'], true])
  assert.equal(layout?.form, ['name', ['state', 'due']])
  assert.is(buttons.get('done')?.label, 'Done')
})

test('a name that is not there is told with the nearest one', () => {
  const cases: readonly (readonly [lines: string, said: string])[] = [
    [
      view('{ columns: [name, sate] }'),
      line('sate', 'unknown_field', '"things" has no field or relation "sate" (did you mean "state"?)'),
    ],
    [
      view('{ columns: [kind.nam] }'),
      line('kind.nam', 'unknown_field', '"kinds" has no field or relation "nam" (did you mean "name"?)'),
    ],
    [
      view('{ where: { sate: open } }'),
      line('sate', 'unknown_field', '"things" has no field or relation "sate" (did you mean "state"?)'),
    ],
    [
      view('{ where: { state: opne } }'),
      line('opne', 'wrong_value', '"state" must be one of open, done (did you mean "open"?)'),
    ],
    [
      view('{ sort: -nam }'),
      line('-nam', 'not_sortable', 'Lists of "things" have no order by "nam" (did you mean "name"?)'),
    ],
    [
      view('{ as: board, by: stat }'),
      line('stat', 'unknown_field', '"things" has no field or relation "stat" (did you mean "state"?)'),
    ],
    [view('{ like: w }'), line('w', 'wrong_screen', 'There is no view "w"')],
    [
      'layout: { form: [nmae] }',
      line('nmae', 'unknown_field', '"things" has no field or relation "nmae" (did you mean "name"?)'),
    ],
    [
      'layout: { record: { main: [{ thread: [note] }] } }',
      line('note', 'unknown_field', '"things" has no relation "note" (did you mean "notes"?)'),
    ],
    [
      'buttons: { b: { set: { sate: done } } }',
      line('sate', 'unknown_field', '"things" has no field or relation "sate" (did you mean "state"?)'),
    ],
    [
      'buttons: { b: { create: { notes: [txt] } } }',
      line('txt', 'unknown_field', '"notes" has no field or relation "txt" (did you mean "text"?)'),
    ],
    [
      'buttons: { b: { create: { note: [text] } } }',
      line(
        'note',
        'wrong_screen',
        'Nothing can be created at "note" below a record of "things" (name the path of a resource that has it under "nested", with create)',
      ),
    ],
  ]
  for (const [lines, said] of cases) assert.equal(says(lines), [said], lines)
})

test('a view asks what the list takes, and shows what answers have', () => {
  assert.equal(says(view('{ where: { price: { gt: 3 } } }')), [
    line(
      'price',
      'wrong_screen',
      'The list of "things" takes no filter "price" (add "price" to "filters" of "things")',
    ),
  ])
  assert.equal(says(view('{ where: { kind.name: x } }')), [
    line(
      'kind.name',
      'wrong_screen',
      'The list of "kinds" takes no filter "name" (add "name" to "filters" of "kinds")',
    ),
  ])
  assert.equal(says(view('{ where: { kind.slug: x } }')), [])
  assert.equal(says(view('{ columns: [secret] }')), [
    line('secret', 'wrong_screen', 'No answer shows "secret" (name a field that answers show)'),
  ])
  assert.equal(says(view('{ columns: [kind.color] }')), [
    line('kind.color', 'wrong_screen', 'No answer shows "kind.color" (add "color" to "embed" of "kind")'),
  ])
  assert.equal(says('buttons: { b: { when: { kind.color: "#000000" }, set: { state: done } } }'), [
    line('kind.color', 'wrong_screen', 'No answer shows "kind.color" (add "color" to "embed" of "kind")'),
  ])
})

test('a column that some who have the view may not read is a hint', () => {
  const hint =
    'Some who have the view "v" may not read "cost"; they do not see it (say with "for" who has the view, or leave it so)'
  assert.equal(says(view('{ columns: [name, cost] }'), 'warning'), [line('cost', 'wrong_screen', hint)])
  assert.equal(says(view('{ columns: [name, cost], for: [{ role: boss }] }'), 'warning'), [])
})

test('keys that do not go together are told', () => {
  const cases: readonly (readonly [lines: string, at: string, said: string])[] = [
    [view('{ by: state }'), 'by', '"by" is not for a view as list (write as: board, or take "by" away)'],
    [view('{ as: board }'), 'v', 'A view as board needs "by" (add by: status, an enum or a relation)'],
    [view('{ as: board, by: name }'), 'name', 'A board has no columns by "name"'],
    [view('{ as: calendar, at: name }'), 'name', '"name" is no day and no moment (name a date or a timestamp)'],
    [view('{ as: figures, tiles: [{ line: count }] }'), 'line', '"line" is drawn by groups (add by: with a field)'],
    [
      view('{ as: figures, tiles: [{ at: x, number: count }] }'),
      'at',
      '"at" is a place in the answer of a route (name the route with "from", or take "at" away)',
    ],
    ['views: { v: { like: w }, w: { like: v } }', 'w', '"v" is like itself'],
    [
      'buttons: { b: { create: { notes: [text] }, many: true } }',
      'many',
      'Chosen records of a list are set, and nothing else (take "many" away, or leave only "set")',
    ],
    [
      'buttons: { b: { set: { state: done }, choose: { into: things } } }',
      'choose',
      'Only the input of a route is chosen (write "calls", or take "choose" away: relations are chosen from their records anyway)',
    ],
    [
      'layout: { record: { main: [{ thread: [notes], write: { notes: [text] }, texts: kinds }] } }',
      'kinds',
      '"kinds" has no text to put in (name a resource with a field of the type text)',
    ],
    ['buttons: { b: { label: B } }', 'b', 'This button does nothing (write set or create, or calls alone)'],
    [
      'layout: { record: { main: [{ label: A }] } }',
      '{ label: A }',
      'A block has one of fields, thread and list (write one of them)',
    ],
  ]
  for (const [lines, at, said] of cases)
    assert.ok(says(lines).includes(line(at, 'wrong_screen', said)), `${lines}\n${says(lines).join('\n')}`)
  assert.equal(says('buttons: { a: { key: x, set: { state: done } }, b: { key: x, set: { state: open } } }'), [
    line('x', 'name_clash', 'The button "a" has the key "x"'),
  ])
})

test('an editor is one for the type of its field', () => {
  const widget = (type: string, word: string) =>
    mistakes({ things: `fields: { a: { type: ${type}, widget: ${word} } }\n${OPEN}` })
  assert.equal(widget('integer, min: 1, max: 5', 'stars'), [])
  assert.equal(widget('integer', 'star'), [
    line('star', 'unknown_word', 'Unknown widget "star" (did you mean "stars"?)'),
  ])
  assert.equal(widget('string', 'stars'), [
    line('stars', 'unknown_word', 'The widget "stars" is not for a field of the type string'),
  ])
})

test('the console as a whole names screens that there are, and a colour that can be seen', () => {
  const told = (app: string) =>
    resolveFiles({ things: thingsWith(view('{}')), kinds: KINDS, notes: NOTES }, `name: Test\nconsole: ${app}`)
      .diagnostics.filter(({ severity }) => severity !== 'warning')
      .map(({ hint, message, span }) => `[${span?.source.text.slice(span.start, span.end)}] ${message} (${hint})`)
  assert.equal(told('{ home: { any: things/v }, menu: { All: [things, kinds] }, accent: "#1d4ed8" }'), [])
  assert.equal(told('{ home: { any: thing } }'), ['[thing] Unknown resource "thing" (did you mean "things"?)'])
  assert.equal(told('{ menu: { All: [things/w] } }'), [
    '[things/w] "things" has no view "w" (did you mean "things/v"?)',
  ])
  assert.equal(told('{ accent: "#ffee00" }'), [
    '["#ffee00"] This colour can hardly be told from white: its contrast is 1.2 to 1, and 3 is the least (take a darker one)',
  ])
  assert.match(told('{ accent: "#101010" }').join(), /from black.*take a lighter one/)
})

test('any name in a view that is neither a field nor a relation is one complaint at its place', () => {
  const word = fc
    .stringMatching(/^[a-z]{4,9}$/)
    .filter((one) => !['name', 'state', 'price', 'secret', 'cost', 'kind', 'notes', 'silent'].includes(one))
  fc.assert(
    fc.property(word, fc.constantFrom('columns', 'card'), (name, key) => {
      const as = key === 'card' ? 'as: board, by: state, ' : ''
      const said = says(view(`{ ${as}${key}: [${name}] }`))
      assert.is(said.length, 1)
      assert.match(said[0]!, `[${name}] unknown_field`)
    }),
    { numRuns: 30 },
  )
})

test('the pictures are in the order of the alphabet, each once', () => {
  assert.equal(ICONS, [...new Set(ICONS)].sort())
})

test.run()
