/** A file of the application extends the resource of a plugin: it adds, replaces, and may not contradict. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Resource } from '../../engine/catalog/catalog.ts'
import { application, saysAtBoot } from '../plugin/application.ts'

const extending = suite('extending a plugin’s resource')

const BOXES = `
resource: boxes
label: Box
lookup: [id, code]
fields:
  code: { type: string, required: true, unique: true, max: 20, immutable: true, pattern: "^[A-Z]" }
  size: { type: enum, values: [small, large], default: small, nullable: false }
  hash: { type: string, show: never }
  area: { type: integer, computed: "t.id * 2" }
relations:
  owner: { belongs_to: owners, required: true, embed: [id] }
filters: [code]
sort: { keys: [id, code], default: id }
search: [code]
indexes: [[size]]
hooks: { create: [shop.seal, shop.count], update: [shop.count] }
policies:
  view: [{ who: anyone }]
  create: [{ permission: boxes.create }]
  update: [{ permission: boxes.update }]
  delete: [{ permission: boxes.delete }]
seeds:
  key: code
  rows:
    - { code: A, size: small, owner_id: 1 }
    - { code: B, size: large, owner_id: 1 }
`

const PLUGIN = {
  'plugins/shop/index.js': `
    const run = async (context, next) => next()
    export default {
      name: 'shop', description: 'Boxes.',
      resources: ['boxes', 'owners', 'small_boxes'].map((name) => new URL('./' + name + '.yaml', import.meta.url)),
      authenticate: async () => null,
      hooks: { seal: run, count: run, look: run },
    }`,
  'plugins/shop/boxes.yaml': BOXES,
  'plugins/shop/owners.yaml': 'resource: owners\nactions: []\nfields: { name: { type: string } }\n',
  'plugins/shop/small_boxes.yaml':
    'resource: small_boxes\nof: boxes\nwhere: { size: small }\nactions: [list]\nfields: { code: {} }\npolicies: { view: [{ who: anyone }] }\n',
  'resources/app.yaml': 'name: Shop\nplugins: { shop: {} }',
  'package.json': '{ "type": "module" }',
}

async function boxesWith(text: string, more: Readonly<Record<string, string>> = {}): Promise<Resource> {
  const app = application({ ...PLUGIN, ...more, 'resources/boxes.yaml': `resource: boxes\n${text}` })
  const { value, diagnostics } = await app.boot()
  app.remove()
  assert.equal(diagnostics, [])
  return value!.catalog.resources.get('boxes')!
}

function said(text: string, more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  return saysAtBoot({ ...PLUGIN, ...more, 'resources/boxes.yaml': `resource: boxes\n${text}` }).then((lines) =>
    lines.map((line) => line.replaceAll(/\S*plinth-app-\w+\//g, '')),
  )
}

extending('fields and relations are added, and a key of one that the plugin has is replaced', async () => {
  const boxes = await boxesWith(`
label: Crate
fields:
  colour: { type: string, max: 30 }
  code: { max: 8, label: Number }
  size: { values: [tiny, small, large] }
relations:
  owner: { embed: [id, name] }
  parent: { belongs_to: boxes }`)
  assert.is(boxes.label, 'Crate')
  assert.equal(
    [...boxes.fields.keys()].filter((name) => name !== 'id'),
    ['code', 'size', 'hash', 'area', 'colour', 'owner_id', 'parent_id'],
  )
  const code = boxes.fields.get('code')!
  assert.equal(
    [code.options.own.max, code.label, code.unique, code.required, code.immutable],
    [8, 'Number', true, true, true],
  )
  assert.equal(boxes.fields.get('size')?.options.own.values, ['tiny', 'small', 'large'])
  assert.equal(
    boxes.relations.get('owner')?.embed?.map(({ name }) => name),
    ['id', 'name'],
  )
})

extending('lists add, hooks stand around the plugin’s, and seeded rows are added or completed', async () => {
  const boxes = await boxesWith(
    `
fields: { colour: { type: string } }
filters: { paint: colour }
sort: { keys: [colour], default: code }
search: [colour]
indexes: [[colour]]
hooks: { create: [shop.look], update: [shop.count, shop.look], delete: [shop.look] }
seeds:
  rows:
    - { code: B, colour: red }
    - { code: C, size: small, owner_id: 1 }`.replace('lookup: [uid]\n', ''),
  )
  assert.equal(
    [...boxes.filters.keys()].filter((name) => ['code', 'paint'].includes(name)),
    ['code', 'paint'],
  )
  assert.equal(
    [...boxes.sort.keys.keys()].filter((name) => name !== 'size' && name !== 'owner_id'),
    ['id', 'code', 'colour'],
  )
  assert.equal(boxes.search.length, 2)
  assert.equal(boxes.hooks.create, ['shop.look', 'shop.seal', 'shop.count'])
  assert.equal(boxes.hooks.update, ['shop.count', 'shop.look'])
  assert.equal(boxes.hooks.delete, ['shop.look'])
  assert.equal(JSON.parse(JSON.stringify(boxes.seeds)).rows.length, 3)
})

extending('a lookup is added to the plugin’s, and to the id where the plugin names none', async () => {
  const names = async (text: string, boxes = BOXES) =>
    (await boxesWith(text, { 'plugins/shop/boxes.yaml': boxes })).lookup.map(({ name }) => name)
  const added = "lookup: ['mark']\nfields: { mark: { type: string, unique: true, pattern: '^m-' } }"
  assert.equal(await names(added), ['id', 'code', 'mark'])
  const plain = BOXES.replace('lookup: [id, code]\n', '')
  assert.equal(await names(added, plain), ['id', 'mark'])
  assert.equal(
    await names("lookup: ['id', 'mark']\nfields: { mark: { type: string, unique: true, pattern: '^m-' } }", plain),
    ['id', 'mark'],
  )
  assert.equal(await names('label: Crate', plain), ['id'])
})

extending('the ids stay what the plugin made them', async () => {
  assert.equal(await said('id: uuid'), [
    'boxes.yaml [uuid] wrong_extension: "id" is not set in plugins/shop/boxes.yaml, and its plugin relies on that (leave the key out, or write it as the plugin does)',
  ])
})

extending('weights of a search are added to the plugin’s fields, which count once', async () => {
  const weights = async (text: string) => {
    const { ranked, search } = await boxesWith(`fields: { colour: { type: string } }\n${text}`)
    return [ranked, ...search.map(({ field, weight }) => `${field.name} ${weight}`)]
  }
  assert.equal(await weights('search: { fields: { colour: 3 } }'), [true, 'code 1', 'colour 3'])
  assert.equal(await weights('search: { fields: { code: 2 } }'), [true, 'code 2'])
  assert.equal(await weights('search: [colour]'), [false, 'code 1', 'colour 1'])
  assert.equal(await weights('search: { fields: [colour] }'), [false, 'code 1', 'colour 1'])
  assert.equal(await weights('search: { language: english }'), [false, 'code 1'])
})

extending('a language is added to the plugin’s search', async () => {
  assert.equal((await boxesWith('search: { language: english }')).language, 'english')
})

extending('a policy that is written stands for the plugin’s, the others stay', async () => {
  const boxes = await boxesWith('policies: { view: [{ permission: boxes.look }] }')
  assert.equal(
    (['view', 'create'] as const).map((name) => boxes.policies[name].flatMap(({ access }) => access)),
    [[{ kind: 'permission', permission: 'boxes.look' }], [{ kind: 'permission', permission: 'boxes.create' }]],
  )
})

extending('who writes the plugin’s file again changes nothing', async () => {
  const boxes = await boxesWith(BOXES.replace('resource: boxes\n', ''))
  assert.equal(boxes.hooks.create, ['shop.seal', 'shop.count'])
  assert.equal(JSON.parse(JSON.stringify(boxes.seeds)).rows.length, 2)
})

extending('what contradicts the plugin is told at its place, and nothing else is', async () => {
  const relies = (what: string) =>
    `${what} in plugins/shop/boxes.yaml, and its plugin relies on that (leave the key out, or write it as the plugin does)`
  assert.equal(
    await said(`
of: owners
fields:
  code: { type: integer, unique: false, required: false, immutable: false, column: nr }
  size: { values: [tiny, small], nullable: true }
  hash: { show: always }
  area: { computed: "3" }
relations:
  owner: { belongs_to: boxes, required: false }
seeds: { key: size, rows: [] }`),
    [
      `boxes.yaml [owners] wrong_extension: ${relies('"of" is not set')}`,
      `boxes.yaml [integer] wrong_extension: ${relies('"type" of the field "code" is "string"')}`,
      `boxes.yaml [false] wrong_extension: ${relies('"unique" of the field "code" is true')}`,
      `boxes.yaml [false] wrong_extension: ${relies('"required" of the field "code" is true')}`,
      `boxes.yaml [false] wrong_extension: ${relies('"immutable" of the field "code" is true')}`,
      `boxes.yaml [nr] wrong_extension: ${relies('"column" of the field "code" is not set')}`,
      `boxes.yaml [[tiny, small]] wrong_extension: ${relies('"values" of the field "size" has "large"')}`,
      `boxes.yaml [true] wrong_extension: ${relies('"nullable" of the field "size" is false')}`,
      `boxes.yaml [always] wrong_extension: ${relies('"show" of the field "hash" is "never"')}`,
      `boxes.yaml ["3"] wrong_extension: ${relies('"computed" of the field "area" is "t.id * 2"')}`,
      `boxes.yaml [boxes] wrong_extension: ${relies('"belongs_to" of the relation "owner" is "owners"')}`,
      `boxes.yaml [false] wrong_extension: ${relies('"required" of the relation "owner" is true')}`,
      `boxes.yaml [size] wrong_extension: ${relies('"key" of the seeds is "code"')}`,
    ],
  )
})

extending('other mistakes are shown in the file that makes them', async () => {
  assert.equal(await said('fields: { colour: { type: strng } }\nsearch: [colour, cod]'), [
    'boxes.yaml [strng] unknown_word: "type" cannot be "strng" (did you mean "string"?)',
    'boxes.yaml [cod] unknown_field: "boxes" has no field or relation "cod" (did you mean "code"?)',
  ])
  const form = (what: string) =>
    `wrong_type: This must be a ${what}, as it is in the file of the plugin that this one extends (write a ${what})`
  assert.equal(await said('fields: 3\nsearch: code\n'), [
    `boxes.yaml [3] ${form('map')}`,
    `boxes.yaml [code] ${form('list')}`,
  ])
})

extending('a file that is no YAML hides no other mistake and makes none', async () => {
  const more = {
    'resources/lids.yaml':
      'resource: lids\nfields: { name: { type: string } }\nrelations: { box: { belongs_to: boxes, embed: [id, colour] } }\nactions: []\nsearch: [nme]\n',
  }
  const lines = await said('fields: { colour: { type: string }', more)
  assert.equal(lines.map((line) => line.replace(/:.*/, '')).sort(), [
    'boxes.yaml [] yaml_syntax',
    'lids.yaml [nme] unknown_field',
  ])
})

extending('a second file of the application for the same resource is a duplicate', async () => {
  const lines = await said('label: Crate', { 'resources/more/boxes.yaml': 'resource: boxes\nlabel: Chest\n' })
  assert.is(lines.length, 1, lines.join('\n'))
  assert.match(lines[0] ?? '', /^more\/boxes\.yaml \[boxes\] duplicate_resource: .* declared in .*boxes\.yaml already/)
})

extending.run()
