/** The secret that is kept in DATA_DIR: made once, and judged before anybody relies on it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkSecret, secretsOf } from '../engine/secret.ts'
import { folder, NOTES, plinth } from './cli/world.ts'

const test = suite('the secret')
let dataDir: string

test.before.each(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'plinth-secret-'))
})
test.after.each(() => rm(dataDir, { recursive: true, force: true }))

async function refusal(): Promise<string> {
  const settings = { appSecrets: [], dataDir }
  const [checked, read] = await Promise.all(
    [checkSecret(settings), secretsOf(settings)].map((asked) =>
      asked.then(
        () => 'fine',
        (error: Error) => error.message,
      ),
    ),
  )
  assert.is(checked, read)
  return String(checked)
}

test('it is made once, whole, by however many ask at the same time', async () => {
  const settings = { appSecrets: [], dataDir: join(dataDir, 'new', 'folder') }
  const asked = await Promise.all(Array.from({ length: 8 }, () => secretsOf(settings)))
  assert.is(new Set(asked.flat()).size, 1)
  assert.equal(readdirSync(settings.dataDir), ['secret'])
  assert.match(readFileSync(join(settings.dataDir, 'secret'), 'utf8'), /^[\w-]{64}\n$/)
})

for (const [what, damage, sentence] of [
  ['empty', (file: string) => truncateSync(file, 0), 'is empty'],
  ['cut off', (file: string) => truncateSync(file, 40), 'is cut off: it holds 40 characters'],
  ['cut off early', (file: string) => truncateSync(file, 10), 'is cut off: it holds 10 characters'],
  ['full of zeros', (file: string) => writeFileSync(file, Buffer.alloc(65)), 'is damaged'],
  [
    'a folder',
    (file: string) => {
      rmSync(file)
      mkdirSync(file)
    },
    'cannot be read (EISDIR)',
  ],
] as const) {
  test(`a file that is ${what} is refused, with what to do`, async () => {
    const file = join(dataDir, 'secret')
    await secretsOf({ appSecrets: [], dataDir })
    assert.is(await refusal(), 'fine')
    damage(file)
    const said = await refusal()
    assert.ok(said.startsWith(`${file} ${sentence}`), said)
    assert.match(said, 'Put the right file back from a backup, set APP_SECRET, or remove the file')
    await checkSecret({ appSecrets: ['x'.repeat(48)], dataDir })
  })
}

test('one that a person wrote is taken with and without an end of line', async () => {
  for (const secret of [`${'own words '.repeat(4)}\n`, `${'own words '.repeat(4)}`, `${'a'.repeat(32)}\n`]) {
    writeFileSync(join(dataDir, 'secret'), secret)
    assert.is(await refusal(), 'fine')
  }
})

test('a start with a bad one ends with 1 before anything is served', async () => {
  const files = folder(NOTES)
  writeFileSync(join(dataDir, 'secret'), '')
  const env = { RESOURCES_DIR: join(files.path, 'resources'), DATA_DIR: dataDir, PORT: '0' }
  const { code, said, complained } = await plinth(['start'], env)
  files.remove()
  assert.equal([code, said], [1, ''])
  assert.match(complained, 'secret is empty')
})

test.run()
