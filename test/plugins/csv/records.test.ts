/** The records of CSV, however the text comes, each with its line. */
import { CsvError, type Options, parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../engine/index.ts'
import { type Row, recordsOf } from '../../../plugins/csv/records.ts'

const test = suite('records of CSV')

const OPTIONS: Options = { relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] }

/** The records of a text that comes in such pieces, and whether it was refused behind them. */
async function read(
  text: string,
  separator: string,
  size: number,
): Promise<{ readonly rows: readonly Row[]; readonly refused: boolean }> {
  async function* pieces(): AsyncGenerator<string, void> {
    // Of whole characters, as a decoder gives them.
    const letters = [...text]
    for (let at = 0; at < letters.length; at += size) yield letters.slice(at, at + size).join('')
  }
  const rows: Row[] = []
  try {
    for await (const group of recordsOf(pieces(), separator)) rows.push(...group)
    return { rows, refused: false }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { rows, refused: true }
  }
}

function parsed(text: string, delimiter: string): readonly (readonly string[])[] | undefined {
  try {
    return parse(text, { ...OPTIONS, delimiter }) as string[][]
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

const TEXT = fc.array(fc.constantFrom('a', 'b ', '"', '""', ',', ';', '\n', '\r\n', '\r', 'ü', '😀'), { maxLength: 40 })

test('any text is read, or refused, in pieces of any length as it is as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      TEXT,
      fc.constantFrom(',', ';', '\t'),
      fc.integer({ min: 1, max: 12 }),
      async (parts, separator, size) => {
        const text = parts.join('')
        const expected = parsed(text, separator)
        const { refused, rows } = await read(text, separator, size)
        assert.is(refused, expected === undefined, JSON.stringify(text))
        if (expected !== undefined)
          assert.equal(
            rows.map(({ cells }) => cells),
            expected,
            JSON.stringify(text),
          )
      },
    ),
    { numRuns: 2_000 },
  )
})

test('cells come back from quotes whatever stands in them, each record with the line on which it begins', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'ß') })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      async (table, size) => {
        const lines = table.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))
        const { rows } = await read(lines.join('\n\n'), ',', size)
        assert.equal(
          rows.map(({ cells }) => cells),
          table,
        )
        let line = 1
        for (const [at, { line: begins }] of rows.entries()) {
          assert.is(begins, line)
          line += (lines[at]!.match(/\r\n|\n|\r/g)?.length ?? 0) + 2
        }
      },
    ),
  )
})

test('what comes before a mistake is read first', async () => {
  assert.equal(await read('a,b\nc,d\ne"f,g\n', ',', 100), {
    rows: [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['c', 'd'] },
    ],
    refused: true,
  })
})

test.run()
