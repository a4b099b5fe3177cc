/** Keys of stored files, drawn: none leads out of the storage, whoever names it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readSettings } from '../../../engine/settings.ts'
import { storageOf } from '../../../plugins/files/open-storage.ts'

const test = suite('keys of stored files')
const folder = mkdtempSync(join(tmpdir(), 'plinth-keys-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

const { value: settings } = readSettings({ DATA_DIR: join(folder, 'data') })
const storage = storageOf(settings!)
const outside = join(folder, 'outside')

const word = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/)
const wrong = fc.constantFrom('', '.', '..', '..\\..', 'a\\b', 'C:\\a', 'a\u0000', '\n', '\u001b[2J')
/** Words with at least one part that no key has. */
const hostile = fc
  .tuple(
    fc.array(word, { maxLength: 3 }),
    fc.array(wrong, { minLength: 1, maxLength: 4 }),
    fc.array(word, { maxLength: 2 }),
  )
  .map((parts) => parts.flat().join('/'))
  .filter((key) => key.split('/').some((part) => part === '' || /^\.\.?$|[\\\p{Cc}]/u.test(part)))

function source() {
  const path = join(folder, 'source')
  writeFileSync(path, 'new')
  return { path, bytes: 3, type: 'text/plain' }
}

test('a hostile key stores nothing, reads nothing and removes nothing', async () => {
  writeFileSync(outside, 'of others')
  const upward = fc.constantFrom('../../outside', 'media/../../../outside', outside, '../../new', '/etc/hosts')
  await fc.assert(
    fc.asyncProperty(fc.oneof(hostile, upward), async (key) => {
      const refused = await storage.put(key, source()).catch((error: Error) => error.message)
      assert.match(String(refused), 'is no key of a stored file')
      assert.is(await storage.read(key), undefined)
      await storage.remove(key)
      assert.is(await storage.move(key, 'media/moved', new Date()), false)
      await storage.move('media/moved', key, new Date()).then(
        () => assert.unreachable(),
        (error: Error) => assert.match(error.message, 'is no key'),
      )
    }),
  )
  assert.is(readFileSync(outside, 'utf8'), 'of others')
  assert.not(existsSync(join(folder, 'new')))
  assert.equal(
    readdirSync(folder)
      .filter((name) => name !== 'data')
      .toSorted(),
    ['outside', 'source'],
  )
})

test('words between slashes are a key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
      const key = `media/${words.join('/')}.txt`
      await storage.put(key, source())
      const chunks = await (await storage.read(key))?.toArray()
      assert.is(Buffer.concat(chunks ?? []).toString(), 'new')
      await storage.remove(key)
    }),
    { numRuns: 20 },
  )
})

test.run()
