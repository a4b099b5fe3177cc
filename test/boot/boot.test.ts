/** A folder of YAML and plugins becomes a catalog, or a list of all its mistakes. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, saysAtBoot } from '../plugin/application.ts'

const booting = suite('readCatalog')

const APP = 'name: Shop\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {} }'
const POLICIES = 'policies: { view: [], create: [], update: [], delete: [] }'

booting('files in sub-folders and those of plugins are one application', async () => {
  const app = application({
    'resources/app.yaml': `${APP.slice(0, -2)}, shop: { greeting: hi } }`,
    'resources/a/things.yaml': `resource: things\nfields: { name: { type: string } }\nrelations: { box: { belongs_to: boxes } }\n${POLICIES}`,
    'plugins/shop/index.js': `export default {
      name: 'shop', description: 'Boxes.', resources: [new URL('./boxes.yaml', import.meta.url)],
      options: { type: 'object', properties: { greeting: { type: 'string' }, size: { type: 'integer', default: 3 } } },
      keys: { colour: { description: 'A colour.', schema: { type: 'string' } } },
      transforms: [(resource, options) => ({ ...resource, description: options.greeting + options.size })],
      rules: [(catalog) => [{ code: 'shop/seen', message: [...catalog.resources.keys()].join(), severity: 'warning' }]],
    }`,
    'plugins/shop/boxes.yaml': `resource: boxes\ncolour: red\n${POLICIES}`,
    'package.json': '{ "type": "module" }',
  })
  const { value, diagnostics } = await app.boot()
  app.remove()
  assert.equal(
    diagnostics.map(({ code, message }) => `${code} ${message}`),
    ['shop/seen boxes,things'],
  )
  assert.equal([...(value?.catalog.resources.keys() ?? [])], ['boxes', 'things'])
  assert.equal(value?.catalog.resources.get('boxes')?.keys, { colour: 'red' })
  assert.is(value?.catalog.resources.get('things')?.description, 'hi3')
  assert.equal(value?.catalog.pluginOptions.get('shop'), { greeting: 'hi', size: 3 })
  assert.equal(
    value?.sources.map(({ file }) => file.replace(/^.*[\\/]/, '')),
    ['app.yaml', 'de.words.yaml', 'boxes.yaml', 'de.words.yaml', 'things.yaml'],
  )
})

booting('three mistakes in two files are all told, each with its suggestion', async () => {
  assert.equal(
    await saysAtBoot({
      'resources/app.yaml': APP,
      'resources/tickets.yaml': `resource: tickets\nfields:\n  satisfaction: { type: intger, min: 1 }\n  subject: { type: string }\nfilters: [satisfaction, satisfacton, subject]\n${POLICIES}`,
      'resources/notes.yaml': `resource: notes\nfields: { body: { type: text, requird: true } }\n${POLICIES}`,
    }).then((said) => said.map((line) => line.replace(/:.*\(did/, ' (did'))),
    [
      'notes.yaml [requird] unknown_key (did you mean "required"?)',
      'tickets.yaml [intger] unknown_word (did you mean "integer"?)',
      'tickets.yaml [satisfacton] unknown_field (did you mean "satisfaction"?)',
    ],
  )
})

booting('mistakes of shape and of names are told together', async () => {
  assert.equal(
    await saysAtBoot({
      'resources/app.yaml': APP,
      'resources/a.yaml': `resource: a\nlabl: A\nfields: { name: { type: string } }\nfilters: [nme]\n${POLICIES}`,
      'resources/b.yaml': `resource: b\nrelations: { a: { belongs_to: aa } }\n${POLICIES}`,
    }),
    [
      'a.yaml [labl] unknown_key: Unknown key "labl" (did you mean "label"?)',
      'a.yaml [nme] unknown_field: "a" has no field or relation "nme" (did you mean "name"?)',
      'b.yaml [aa] unknown_resource: Unknown resource "aa" (did you mean "a"?)',
    ],
  )
})

booting('what speaks of a file that cannot be read is not called unknown', async () => {
  assert.equal(
    (
      await saysAtBoot({
        'resources/app.yaml': APP,
        'resources/a.yaml': 'resource: a\nfields: { x: [',
        'resources/b.yaml': `resource: b\nrelations: { a: { belongs_to: a } }\nfilters: [a_id, a.x]\n${POLICIES}`,
      })
    ).map((line) => line.split(':')[0]),
    ['a.yaml [] yaml_syntax'],
  )
})

booting('two plugins may not bring along the same resource', async () => {
  const plugin = (name: string) =>
    `export default { name: '${name}', description: 'x', resources: [new URL('./boxes.yaml', import.meta.url)] }`
  const said = await saysAtBoot({
    'resources/app.yaml': 'name: X\nplugins: { shop: {}, store: {} }',
    'plugins/shop/index.js': plugin('shop'),
    'plugins/shop/boxes.yaml': `resource: boxes\n${POLICIES}`,
    'plugins/store/index.js': plugin('store'),
    'plugins/store/boxes.yaml': `resource: boxes\n${POLICIES}`,
    'package.json': '{ "type": "module" }',
  })
  assert.is(said.length, 1)
  assert.match(said[0] ?? '', /duplicate_resource: The resource "boxes" is declared in .*shop\/boxes\.yaml already/)
})

booting('a transform or rule that throws is the plugin’s mistake', async () => {
  const said = await saysAtBoot({
    'resources/app.yaml': 'name: X\nplugins: { odd: {} }',
    'resources/boxes.yaml': `resource: boxes\n${POLICIES}`,
    'plugins/odd/index.js':
      "export default { name: 'odd', description: 'x', transforms: [() => { throw new Error('oh') }] }",
    'package.json': '{ "type": "module" }',
  })
  assert.equal(said, ['boxes.yaml [boxes] plugin_failed: The plugin "odd" could not change "boxes": oh'])
})

booting('a transform that returns nothing is told, and the resource stays as it was', async () => {
  const said = await saysAtBoot({
    'resources/app.yaml': 'name: X\nplugins: { odd: {} }',
    'resources/boxes.yaml': `resource: boxes\n${POLICIES}`,
    'plugins/odd/index.js': "export default { name: 'odd', description: 'x', transforms: [() => {}] }",
    'package.json': '{ "type": "module" }',
  })
  assert.equal(said, [
    'boxes.yaml [boxes] plugin_failed: The plugin "odd" could not change "boxes": it returned no resource',
  ])
})

booting('routes that clash, do nothing or ask for what there is not are found without a start', async () => {
  const said = await saysAtBoot({
    'resources/app.yaml': 'name: X\nprefix: /api\nplugins: { odd: {} }',
    'resources/boxes.yaml': `resource: boxes\n${POLICIES}`,
    'plugins/odd/index.js': `const route = { method: 'GET', summary: 'x', access: 'public', handle: async () => ({}) }
      export default { name: 'odd', description: 'x', routes: [
        { ...route, path: '/boxes/{key}' },
        { ...route, path: '/empty', handle: undefined },
        { ...route, path: '/typed', query: { size: { type: 'intger' } } },
        { ...route, path: '/kind', method: 'POST', body: 'forms' },
        { ...route, path: '/bytes', method: 'POST', body: 'raw', input: { name: { type: 'string' } } },
      ] }`,
    'package.json': '{ "type": "module" }',
  })
  assert.equal(
    said.map((line) => line.replace(/^.*?(?=wrong_plugin|unknown_word|plugin_clash)/, '')),
    [
      'wrong_plugin: The route GET /empty of the plugin "odd" has no function "handle" (add handle: async (context) => ({ data: … }))',
      'unknown_word: The route GET /typed of the plugin "odd": Unknown field type "intger" (did you mean "integer"?)',
      'wrong_plugin: The route POST /kind of the plugin "odd" takes a body of the kind "forms", which there is not (did you mean "form"?)',
      'wrong_plugin: The route POST /bytes of the plugin "odd" takes a raw body, which has no fields, and declares "input" (leave out input and read context.raw, or take a form)',
      'plugin_clash: The route GET /api/boxes/{id} is given by both odd and engine (give one of them another path)',
    ],
  )
})

booting('a folder without app.yaml is told', async () => {
  assert.match((await saysAtBoot({ 'resources/a.yaml': 'resource: a' })).join(), /missing_app/)
})

booting.run()
