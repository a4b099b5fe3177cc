/** The tables of the page on ASVS: each line of the chapters is there once, and each test that they name exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('the page on ASVS')

/** How many lines each part of the standard has (5.0.0), but for those about servers that the application is not. */
const PARTS: Readonly<Record<string, number>> = {
  '6.1': 3,
  '6.2': 12,
  '6.3': 8,
  '6.4': 6,
  '6.5': 8,
  '6.6': 4,
  '6.7': 2,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 3,
  '7.6': 2,
  '10.1': 2,
  '10.2': 3,
  '10.5': 5,
}

const rows = readFileSync('plugins/guide/asvs.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, lines = '', how = '', shown = '']) => ({ lines: lines.split(', '), how, shown }))

test('each line of the chapters has one row', () => {
  const wanted = Object.entries(PARTS).flatMap(([part, count]) =>
    Array.from({ length: count }, (_, at) => `${part}.${at + 1}`),
  )
  assert.equal(rows.flatMap(({ lines }) => lines).sort(), wanted.sort())
})

test('each test that is named exists, and a row without one says more than that', () => {
  for (const { how, lines, shown } of rows) {
    if (shown === 'none') {
      assert.ok(how.length > 20, lines.join())
      continue
    }
    const [, file = '', name = ''] = /^([\w./-]+): (.+)$/.exec(shown) ?? []
    const path = join('test/plugins/auth', file.endsWith('.browser') ? `${file}.ts` : `${file}.test.ts`)
    assert.ok(existsSync(path), `${lines.join()}: there is no ${path}`)
    const text = readFileSync(path, 'utf8')
    assert.ok(text.includes(name), `${lines.join()}: ${path} has no test "${name}"`)
  }
})

test.run()
