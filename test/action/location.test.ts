/** Where a new record is found: by the first name that every reader of its answer knows. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('location')

const OPEN = ['view', 'create', 'update', 'delete'].map((name) => `${name}: [{ who: anyone }]`).join(', ')
const code = '{ type: string, required: true, unique: true, max: 40 }'
const RESOURCES: Readonly<Record<string, string>> = {
  ids: `lookup: [id, code]\nfields: { code: ${code} }`,
  codes: `lookup: [code]\nfields: { code: ${code} }`,
  numbers: `lookup: [number]\nfields: { number: { type: sequence, start: 3000000001 }, code: ${code} }`,
  seconds: `lookup: [hidden, code]\nfields: { hidden: { type: string, unique: true, show: never, pattern: '^h-' }, code: ${code} }`,
  nullables: `lookup: [code]\nfields: { code: { type: string, unique: true } }`,
}

let app: TestApplication
test.before(async () => {
  const files = Object.entries(RESOURCES).map(([name, text]) => [
    `${name}.yaml`,
    `resource: ${name}\n${text}\npolicies: { ${OPEN} }\n`,
  ])
  app = await application({
    resources: { 'app.yaml': 'name: Places\nprefix: /api\nplugins: {}\n', ...Object.fromEntries(files) },
  })
})
test.after(() => app?.close())

test('201 has a Location under which the record is found, by whatever lookup there is', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'B', '7', ':', '/', '%', '?', ' ', 'ü', 'code:', 'hidden:', '\\', ','), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join(''))
    .filter((word) => word.trim() === word)
  let made = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('ids', 'codes', 'numbers', 'seconds'), text, async (name, drawn) => {
      made += 1
      const { body, headers, status } = await app.call('POST', `/api/${name}`, { body: { code: `${drawn}${made}` } })
      assert.is(status, 201, JSON.stringify(body))
      const found = await app.call('GET', String(headers.location))
      assert.equal([found.status, found.body.data], [200, body.data], `${drawn}: ${headers.location}`)
    }),
    { numRuns: 80 },
  )
})

test('a lookup that a record may be without is no address', async () => {
  const { headers, status } = await app.call('POST', '/api/nullables', { body: { code: 'a' } })
  assert.equal([status, headers.location], [201, undefined])
})

test.run()
