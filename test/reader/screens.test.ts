/** Views, layout and buttons in /catalog.json: each reader has those of which it may see and do everything. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { catalogDocument, type OfferedRoute } from '../../engine/reader/catalog-document.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { resolved, resolveFiles } from '../resolve/resolves.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
type Document = any

const test = suite('screens in catalog.json')

const BASE: Readonly<Record<string, string>> = {
  orders: `icon: box
fields:
  name: { type: string, required: true, help: What it is called }
  state: { type: enum, values: [open, done], default: open, widget: radio }
  due: { type: date }
  margin: { type: integer, read: { permission: orders.money }, write: { permission: orders.money } }
  note: { type: string, when: { margin: 3 } }
relations:
  kind: { belongs_to: kinds, embed: [id, name] }
  lines: { has_many: lines, embed: [id, text] }
filters: [state, due, margin, kind_id]
sort: { keys: [name, margin] }
summary: { by: [state, due], of: [margin] }
views:
  all: { columns: [name, margin, kind.name], sort: [margin, name], count: true }
  dear: { where: { margin: { gt: 3 } } }
  staff: { for: [{ permission: orders.money }] }
  board: { as: board, by: state, card: [name, margin] }
  due: { as: calendar, at: due, title: margin }
  now: { as: figures, tiles: [{ number: count }, { bars: sum of margin, by: state }, { number: count, where: { margin: 1 } }] }
  money: { as: figures, tiles: [{ number: sum of margin }] }
layout:
  form: [name, [state, margin], [margin]]
  record:
    main: [name, margin, { thread: [lines], write: { lines: [text] } }]
    side: [{ label: Money, fields: [margin] }, { label: When, fields: [due], when: { margin: 3 } }]
buttons:
  done: { key: d, when: { state: open }, set: { state: done } }
  cheap: { set: { margin: 1 } }
  rich: { when: { margin: 3 }, set: { state: done } }
  sort: { set: { kind: { slug: big } } }
  say: { create: { lines: [text] } }
  ring: { calls: bells.ring }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]`,
  kinds: `fields: { name: { type: string }, slug: { type: slug, from: name, unique: true } }
filters: [slug]
policies: { view: [{ who: signed_in }] }
actions: [list, get]`,
  lines: `relations: { order: { belongs_to: orders } }
fields: { text: { type: string } }
nested: { order: { path: lines, actions: [list, create] } }
policies: { view: [{ who: signed_in }], create: [{ permission: lines.write }] }
actions: [get]`,
}

const RING: OfferedRoute = {
  name: 'bells.ring',
  method: 'POST',
  path: '/orders/{id}/ring',
  summary: 'Rings',
  resource: 'orders',
  body: 'none',
}

function person(...permissions: readonly string[]): Actor {
  return { kind: 'user', id: 1, role: null, permissions: new Set(permissions), attributes: {} }
}

function documentFor(actor: Actor, files = BASE, routes: readonly OfferedRoute[] = [RING]): Document {
  return catalogDocument({ catalog: resolved(files), hooks: new Map() }, actor, routes)
}

test('who may see and do everything has all that is written', () => {
  const { buttons, fields, icon, layout, views } = documentFor(person('orders.money', 'lines.write')).resources.orders
  assert.is(icon, 'box')
  assert.equal(Object.keys(views), ['all', 'dear', 'staff', 'board', 'due', 'now', 'money'])
  assert.equal(views.all, {
    label: 'All',
    count: true,
    sort: ['margin', 'name'],
    columns: ['name', 'margin', 'kind.name'],
  })
  assert.equal(views.dear, { label: 'Dear', where: { margin: { gt: 3 } } })
  assert.equal(views.now.tiles.length, 3)
  assert.equal(Object.keys(buttons), ['done', 'cheap', 'rich', 'sort', 'say', 'ring'])
  assert.equal(buttons.sort, { label: 'Sort', set: { kind_id: { slug: 'big' } } })
  assert.equal(layout.record.main.at(-1), { thread: ['lines'], write: { lines: ['text'] } })
  assert.equal([fields.name.help, fields.state.widget, fields.note.when], ['What it is called', 'radio', { margin: 3 }])
})

test('who may not read a field has no view, block or button that speaks of it', () => {
  const told = documentFor(person()).resources.orders
  assert.not.match(JSON.stringify(told), 'margin')
  assert.equal(Object.keys(told.views), ['all', 'board', 'due', 'now'])
  assert.equal(told.views.all, { label: 'All', count: true, sort: ['name'], columns: ['name', 'kind.name'] })
  assert.equal(told.views.now.tiles, [{ number: 'count' }])
  assert.equal(told.layout, { form: ['name', ['state']], record: { main: ['name', { thread: ['lines'] }] } })
  assert.equal(Object.keys(told.buttons), ['done', 'sort', 'ring'])
})

test('a button is there for those who may do all of it', () => {
  assert.ok('say' in documentFor(person('lines.write')).resources.orders.buttons)
  assert.not('ring' in documentFor(person(), BASE, []).resources.orders.buttons)
  const hidden = { ...BASE, kinds: BASE.kinds!.replace('who: signed_in', 'permission: orders.money') }
  assert.not('sort' in documentFor(person(), hidden).resources.orders.buttons)
})

test('the first screen is that of the role, and the menu has what opens', () => {
  const app = `name: Shop
console:
  home: { boss: orders/dear, any: orders/all }
  menu: { Work: [orders/all, orders/dear, orders], Money: [orders/money], Rest: [lines, kinds] }
  accent: "#1d4ed8"`
  const catalog = resolveFiles(BASE, app).value!
  assert.ok(parseDocument({ file: 'app.yaml', text: app }).value)
  const told = (actor: Actor): Document => catalogDocument({ catalog, hooks: new Map() }, actor, []).console
  assert.equal(told(person()), {
    home: 'orders/all',
    menu: [
      { label: 'Work', screens: ['orders/all', 'orders'] },
      { label: 'Rest', screens: ['kinds'] },
    ],
    accent: '#1d4ed8',
  })
  const boss: Actor = { ...person('orders.money'), role: 'boss' }
  assert.is(told(boss).home, 'orders/dear')
  assert.not('home' in told({ ...person(), role: 'boss' }), 'a screen that the reader may not open')
})

/** What somebody adds of the hidden field; a reader without it is told the same. */
const MORE = [
  ['views:\n', 'views:\n  loss: { where: { margin: { lt: 0 } } }\n'],
  [
    'views:\n',
    'views:\n  gain: { as: figures, over: last 3 days of due, tiles: [{ line: max of margin, by: day of due }] }\n',
  ],
  ['columns: [name, margin', 'columns: [margin, name, margin'].map((text) =>
    text.replace('[margin, name, margin', '[margin, name'),
  ),
  ['buttons:\n', 'buttons:\n  zero: { set: { margin: 0 } }\n'],
  ['side: [', 'side: [{ fields: [margin], when: { state: open } }, '],
  ['card: [name, margin]', 'card: [margin, name]'],
] as const

test('what is said of a field that the reader may not see changes no byte', () => {
  const plain = JSON.stringify(documentFor(person()))
  fc.assert(
    fc.property(fc.subarray([...MORE]), (changes) => {
      const orders = changes.reduce((text, [from, to]) => text.replace(from!, to!), BASE.orders!)
      assert.is(JSON.stringify(documentFor(person(), { ...BASE, orders })), plain)
    }),
    { numRuns: 30 },
  )
})

test.run()
