/** How deep the condition of a webhook may be: it is asked of every change, whoever sent it. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../../engine/limits.ts'
import { type Library, openLibrary } from './world.ts'

let library: Library
const test = suite('webhooks: conditions')
test.before(async () => {
  library = await openLibrary()
})
test.after(() => library.close())

test('a condition that is stored is no deeper than one of a list', async () => {
  const inside = fc.array(fc.constantFrom('not', 'all', 'any'), { minLength: 1, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(inside, async (words) => {
      const where = words.reduce<object>((one, word) => ({ [word]: word === 'not' ? one : [one] }), {
        pages: { gt: 5 },
      })
      const webhook = { name: 'Deep', address: 'http://127.0.0.1:4000/', events: ['books.create'], where }
      const { status, body } = await library.call('POST', '/webhooks', webhook)
      assert.is(status, words.length < LIMITS.whereDepth ? 201 : 422, JSON.stringify(where))
      if (status === 422) assert.match(JSON.stringify(body.errors), 'within filters at most 8 deep')
    }),
    { numRuns: 30 },
  )
})

test('a word near to the name of what its writer may not read is told as any other unknown word', async () => {
  const { token } = await library.person('editor', 'Eve')
  const said = async (word: string, as?: string): Promise<string> => {
    const webhook = { name: 'A', address: 'http://127.0.0.1:4000/', events: ['books.create'], where: { [word]: '1' } }
    const { status, text } = await library.call('POST', '/webhooks', webhook, as)
    assert.is(status, 422, text)
    return text
  }
  assert.match(await said('prise'), 'did you mean \\"price\\"')
  assert.match(await said('titel', token), 'did you mean \\"title\\"')
  for (const word of ['prise', 'pric', 'pinn', 'pi']) {
    const text = await said(word, token)
    assert.not.match(text, /"(?:price|pin)\\"/)
    assert.not.match(await said(word === 'prise' ? 'pinn' : word), /"pin\\"/)
  }
})

test.run()
