/** The commands that print the interface, and what is said of a plugin whose routes speak of what there is not. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, NOTES, plinth } from '../cli/world.ts'

const test = suite('plinth openapi and plinth types')

const SPEAKER = `export default {
  name: 'speaker',
  description: 'Answers a record of something.',
  routes: [{
    method: 'GET', path: '/best', summary: 'The best note', access: 'public',
    output: { $ref: '#/resources/nots' }, handle: async () => ({}),
  }],
}
`

test('plinth openapi prints the document without a database', async () => {
  const application = folder(NOTES)
  const ran = await plinth(['openapi'], {
    RESOURCES_DIR: `${application.path}/resources`,
    DATABASE_URL: 'postgres://127.0.0.1:1/no',
  })
  application.remove()
  assert.is(ran.code, 0, ran.complained)
  const document = JSON.parse(ran.said)
  assert.equal([document.openapi, document.info.title], ['3.1.0', 'Notes'])
  assert.equal(Object.keys(document.paths), [
    '/api/notes',
    '/api/notes/batch',
    '/api/notes/query',
    '/api/notes/{id}',
    '/catalog.json',
    '/openapi.json',
    '/livez',
    '/readyz',
    '/metrics',
  ])
  assert.is(document.components.schemas.NoteUpdate.properties.stars.maximum, 5)
})

test('plinth types prints a module of types', async () => {
  const application = folder(NOTES)
  const ran = await plinth(['types'], { RESOURCES_DIR: `${application.path}/resources` })
  application.remove()
  assert.is(ran.code, 0, ran.complained)
  assert.match(
    ran.said,
    /export type NoteCreate = \{\n {2}readonly title: string\n {2}readonly stars\?: number \| null\n\}/,
  )
})

test('a route that answers records of no resource is a mistake that names it', async () => {
  const application = folder({
    ...NOTES,
    'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {}, speaker: {} }\n',
    'plugins/speaker/index.js': SPEAKER,
    'package.json': '{ "type": "module" }',
  })
  const { code, complained } = await plinth(['openapi'], {
    RESOURCES_DIR: `${application.path}/resources`,
    PLUGINS_DIR: `${application.path}/plugins`,
  })
  application.remove()
  assert.is(code, 1)
  assert.match(
    complained,
    'The route GET /best of the plugin "speaker" speaks of the resource "nots", which there is not',
  )
  assert.match(complained, 'did you mean "notes"?')
})

test.run()
