/** Clauses that a plugin makes stand at one place of the YAML; each is asked for itself all the same. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, FILES, type Library, library } from './library.ts'

const test = suite('clauses of a plugin')
let app: Library

const CARDS = `
resource: cards
owned: true
fields:
  kind: { type: enum, values: [plain, odd, never], default: plain, nullable: false }
  text: { type: string }
  owner: { type: integer }
  is_touched: { type: boolean, default: false, nullable: false }
`

test.before(async () => {
  const settings = FILES['app.yaml']!.replace('who: {}', 'who: {}, owned: {}')
  app = await library({ 'app.yaml': settings, 'cards.yaml': CARDS })
})
test.after(() => app.close())

async function made(body: object): Promise<unknown> {
  return (await app.expect(201, 'POST', '/cards', ANN, { owner: 1, ...body })).id
}

test('each clause of a policy admits what it says', async () => {
  for (const kind of ['plain', 'odd', 'plain', 'odd']) await made({ kind })
  await app.expect(403, 'POST', '/cards', ANN, { kind: 'never', owner: 1 })
})

test('a record is changed under the clause that reaches it', async () => {
  const [plain, odd] = [await made({ kind: 'plain' }), await made({ kind: 'odd' })]
  for (const text of ['one', 'two']) {
    assert.is((await app.expect(200, 'PATCH', `/cards/${plain}`, ANN, { text })).is_touched, false)
    assert.is((await app.expect(200, 'PATCH', `/cards/${odd}`, ANN, { text })).is_touched, true)
    await app.expect(403, 'PATCH', `/cards/${plain}`, BEN, { text })
  }
})

test('what may be changed is not deleted by the clauses of another policy', async () => {
  const [plain, odd] = [await made({ kind: 'plain' }), await made({ kind: 'odd' })]
  for (const id of [plain, odd]) await app.expect(200, 'POST', '/cards/batch', ANN, { update: [{ id, text: 'mine' }] })
  await app.expect(403, 'DELETE', `/cards/${plain}`, ANN)
  await app.expect(204, 'DELETE', `/cards/${odd}`, ANN)
})

test.run()
