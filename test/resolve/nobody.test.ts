/** Rules about who signs in, in an application in which nobody does. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, plinth } from '../cli/world.ts'

const test = suite('nobody signs in')

async function check(
  things: string,
  plugins = '{}',
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const files = folder({
    ...more,
    'resources/app.yaml': `name: Things\nplugins: ${plugins}\n`,
    'resources/things.yaml': `resource: things\nactions: [list, get]\n${things}`,
  })
  const [RESOURCES_DIR, PLUGINS_DIR] = ['resources', 'plugins'].map((name) => join(files.path, name))
  const { said, complained } = await plinth(['check'], { RESOURCES_DIR, PLUGINS_DIR })
  files.remove()
  return `${said}\n${complained}`.split('\n').filter((line) => line.includes('unknown_attribute'))
}

const NAME = 'fields: { name: { type: string } }\n'

for (const [title, things, place, who] of [
  ['a permission', `${NAME}policies: { view: [{ permission: things.view }] }`, '4:34', 'nobody has a permission'],
  ['roles', `${NAME}policies: { view: [{ who: anyone }, { role: [admin, clerk] }] }`, '4:45', 'nobody has a role'],
  ['who is signed in', `${NAME}policies: { view: [{ who: signed_in }] }`, '4:27', 'nobody is signed in'],
  [
    'who may read a field',
    'fields: { name: { type: string, read: [{ permission: things.name }] } }\npolicies: { view: [{ who: anyone }] }',
    '3:54',
    'nobody has a permission',
  ],
  [
    'who may move a record',
    `fields: { state: { type: enum, values: [new, old] } }
moves: { state: { allow: [{ role: admin, from: new, to: old }] } }
policies: { view: [{ who: anyone }] }`,
    '4:35',
    'nobody has a role',
  ],
] as const) {
  test(`a rule about ${title} is told at its place`, async () => {
    const [line = '', ...more] = await check(things)
    assert.ok(line.includes(`things.yaml:${place} warning`), line)
    assert.ok(line.endsWith(`Nobody signs in to this application, so ${who}`), line)
    assert.equal(more, [])
  })
}

test('a key of a plugin is told of, and who may have answers explained', async () => {
  const csv = `csv: { export: [{ permission: things.export }], columns: { Name: name } }`
  const [key = '', ...more] = await check(
    `${NAME}policies: { view: [{ who: anyone }] }\n${csv}`,
    '{ csv: {}, jobs: {} }',
  )
  assert.ok(key.includes('things.yaml:5:1 warning'), key)
  assert.ok(key.endsWith('so nobody has a permission'), key)
  assert.equal(more, [])
  const open = csv.replace('permission: things.export', 'who: anyone')
  assert.equal(await check(`${NAME}policies: { view: [{ who: anyone }] }\n${open}`, '{ csv: {}, jobs: {} }'), [])
  const explain = '{}\nexplain: { permission: answers.explain }'
  const [said = ''] = await check(`${NAME}policies: { view: [{ who: anyone }] }`, explain)
  assert.ok(said.includes('app.yaml:3:24 warning'), said)
})

test('nothing is told where anyone may, or where a plugin knows accounts', async () => {
  assert.equal(await check(`${NAME}policies: { view: [{ who: anyone }] }`), [])
  const auth = '{ timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, member] } }'
  assert.equal(await check(`${NAME}policies: { view: [{ role: admin }, { who: signed_in }] }`, auth), [])
})

test('nothing is told of a file that a plugin brought', async () => {
  const shop = `import { definePlugin } from 'plinth'
export default definePlugin({
  name: 'shop',
  description: 'Brings a resource.',
  resources: [new URL('./boxes.yaml', import.meta.url)],
})
`
  const own = `${NAME}policies: { view: [{ who: anyone }] }`
  const brought =
    'resource: boxes\nfields: { size: { type: string } }\npolicies: { view: [{ permission: boxes.view }] }\n'
  const more = {
    'plugins/shop/index.ts': shop,
    'plugins/shop/boxes.yaml': brought,
    'package.json': '{ "type": "module" }',
  }
  assert.equal(await check(own, '{ shop: {} }', more), [])
})

test.run()
