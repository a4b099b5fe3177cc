/** Routes that take forms and bytes: how the document describes them, and how the client sends them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { clientOf } from '../support/client.ts'

interface State {
  app: TestApplication
  plugins: string
}

const PLUGIN = `
let taken = 0
const route = { method: 'POST', access: 'public', tag: 'Post', output: { type: 'object' } }
export default {
  name: 'post', description: 'Takes what is sent.',
  routes: [
    { ...route, path: '/post/form', summary: 'Take a form', body: 'form',
      input: { name: { type: 'string', required: true }, words: { type: 'list', of: 'string' } },
      handle: async ({ body }) => ({ data: body }) },
    { ...route, path: '/post/bytes', summary: 'Take bytes', body: 'raw',
      handle: async ({ raw }) => ({ data: { taken: ++taken, type: raw.type, hex: raw.bytes.toString('hex') } }) },
  ],
}`

const test = suite<State>('openapi: bodies of routes')

test.before(async (state) => {
  state.plugins = await mkdtemp(join(tmpdir(), 'plinth-bodies-'))
  await mkdir(join(state.plugins, 'post'))
  await writeFile(join(state.plugins, 'post', 'index.js'), PLUGIN)
  await writeFile(join(state.plugins, 'package.json'), '{ "type": "module" }')
  const resources = { 'app.yaml': 'name: Post\nprefix: /api\nplugins: { post: {} }\n' }
  state.app = await application({ resources, plugins: state.plugins })
})
test.after(async ({ app, plugins }) => {
  await app?.close()
  await rm(plugins, { recursive: true })
})

test('the document says which type each takes', async ({ app }) => {
  const { body } = await app.call('GET', '/openapi.json')
  const taken = (path: string) => {
    const given = body.paths[path].post.requestBody
    const name = given.$ref?.split('/').at(-1)
    return name === undefined ? given : body.components.requestBodies[name]
  }
  const form = taken('/api/post/form')
  assert.equal([form.required, Object.keys(form.content)], [true, ['application/x-www-form-urlencoded']])
  const schema = form.content['application/x-www-form-urlencoded'].schema
  assert.equal([Object.keys(schema.properties), schema.required], [['name', 'words'], ['name']])
  assert.equal(taken('/api/post/bytes'), {
    required: true,
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  })
})

test('the client sends them so', async ({ app, plugins }) => {
  const module = await clientOf(join(app.dataDir, '..', 'resources'), { PLUGINS_DIR: plugins })
  const { postPostBytes, postPostForm } = module.createClient({ baseUrl: app.address })
  const form = await postPostForm({ name: 'Ann & Bob', words: ['a', 'ü'] })
  assert.equal(form.data, { name: 'Ann & Bob', words: ['a', 'ü'] })
  const headers = { 'Content-Type': 'application/octet-stream' }
  const bytes = await postPostBytes(new Uint8Array([0, 255, 10]), { headers })
  assert.equal([bytes.data.type, bytes.data.hex], ['application/octet-stream', '00ff0a'])
})

test('bytes sent again under one key are taken once, and other bytes or another type are another request', async ({
  app,
}) => {
  const send = (body: string, type = 'text/plain') =>
    fetch(`${app.address}/api/post/bytes`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': type, 'Idempotency-Key': 'k' },
    })
  const first = await (await send('one')).text()
  const again = await send('one')
  assert.equal([again.headers.get('idempotency-replayed'), await again.text()], ['true', first])
  assert.is((await send('two')).status, 409)
  assert.is((await send('one', 'text/html')).status, 409)
})

test.run()
