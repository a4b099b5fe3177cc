/** A PDF as its reader sees it: what stands in it, in which order, and in whose time. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Snapshot, Values } from '../../../../plugins/desk/reports/content.ts'
import reports from '../../../../plugins/desk/reports/index.ts'
import { render } from '../../../../plugins/desk/reports/render.ts'
import { CONTENTS } from '../../../../plugins/desk/reports/types.ts'
import { type Pdf, readPdf } from './read.ts'

const test = suite('reports: the PDF')

interface Made extends Pdf {
  /** The fonts that are in the file, by the names that they have themselves. */
  readonly embedded: readonly string[]
  /** What could not be drawn. */
  readonly notDrawn: readonly string[]
}

/** The PDF of a report with these rows, and these fonts of the application; the rows come in two batches. */
async function pdfOf(
  type: keyof typeof CONTENTS,
  rows: readonly Values[],
  pdfRows = 100,
  fonts: readonly string[] = [],
): Promise<Made> {
  const snapshot: Snapshot = {
    name: `${type}, 2026-07-01 to 2026-07-03`,
    type,
    period: { from: '2026-07-01', to: '2026-07-03' },
    madeAt: new Date('2026-07-04T02:30:00Z'),
    zone: 'America/New_York',
    content: CONTENTS[type],
    summary: {},
    chart: { kind: 'bar', title: 'Chart', labels: [], series: [] },
    count: rows.length,
    async *rows() {
      yield rows.slice(0, 2)
      yield rows.slice(2)
    },
  }
  const folder = await mkdtemp(join(tmpdir(), 'plinth-pdf-'))
  try {
    const notDrawn: string[] = []
    const bounds = {
      pdfRows,
      desk: 'The desk',
      fonts,
      notDrawn: (characters: string) => void notDrawn.push(characters),
    }
    await render(snapshot, 'pdf', join(folder, 'file.pdf'), bounds)
    const bytes = await readFile(join(folder, 'file.pdf'))
    const named = [...bytes.toString('latin1').matchAll(/\/FontName \/[A-Z]+\+([\w-]+)\n(?:[^>]*)\/FontFile[23] /g)]
    return { ...readPdf(bytes), embedded: named.map(([, name = '']) => name).sort(), notDrawn }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function ticket(uid: string, subject = 'It broke', created = '2026-07-02T12:00:00.000000Z'): Values {
  return [uid, subject, 'Open', 'High', null, null, null, null, null, created, null, 60, null]
}

/** A word of each script that the guide names. */
const LETTERS = {
  Latin: 'Žluťoučký',
  Greek: 'Ελλάδα',
  Cyrillic: 'Привет',
  Armenian: 'Հայաստան',
  Georgian: 'საქართველო',
  Hebrew: 'שלום',
  Arabic: 'محمد',
  Lao: 'ລາວ',
  Chinese: '问题',
  Japanese: 'プリンタ',
  Korean: '프린터',
}

/** The bytes of a font with one more character: the last range of its table of characters begins there instead. */
async function fontWith(character: number): Promise<Buffer> {
  const bytes = brotliDecompressSync(await readFile('plugins/desk/reports/fonts/DejaVuSans.ttf.br'))
  const tables = Array.from({ length: bytes.readUInt16BE(4) }, (_, at) => bytes.subarray(12 + 16 * at, 28 + 16 * at))
  const map = tables.find((table) => table.toString('latin1', 0, 4) === 'cmap')!.readUInt32BE(8)
  const parts = Array.from(
    { length: bytes.readUInt16BE(map + 2) },
    (_, at) => map + bytes.readUInt32BE(map + 8 + 8 * at),
  )
  const ranges = parts.find((part) => bytes.readUInt16BE(part) === 12)!
  const last = ranges + 16 + 12 * (bytes.readUInt32BE(ranges + 12) - 1)
  bytes.writeUInt32BE(character, last)
  bytes.writeUInt32BE(character, last + 4)
  return bytes
}

const FOUR = ['1001', '1002', '1003', '1004']

test('the newest tickets come first, and are those that are shown when there are more than fit', async () => {
  const uids = (text: string) => text.split('\n').filter((line) => FOUR.includes(line))
  const rows = FOUR.map((uid) => ticket(uid))
  const all = await pdfOf('tickets', rows)
  assert.equal(uids(all.text), ['1004', '1003', '1002', '1001'])
  for (const most of [1, 2, 3]) {
    const { text } = await pdfOf('tickets', rows, most)
    assert.equal(uids(text), ['1004', '1003', '1002'].slice(0, most))
    assert.match(text, `These are the newest ${most} of 4 rows`)
  }
})

test('what is no order of time keeps its order', async () => {
  const rows = FOUR.map((name): Values => [name, 1, 1, 0, 0, 0, 0, null, null])
  const { text } = await pdfOf('departments', rows, 2)
  assert.match(text, /1001\n[\s\S]*1002\n/)
  assert.not.match(text, '1003')
  assert.match(text, 'These are the first 2 of 4 rows')
})

test('times are those of the desk, also when it was made', async () => {
  const { text } = await pdfOf('tickets', [ticket('1001', 'Late', '2026-07-02T03:59:00.000000Z')])
  assert.match(text, 'Made 2026-07-03 22:30 America/New_York')
  assert.match(text, '2026-07-01 to 2026-07-03, whole days, all times in America/New_York')
  assert.match(text, '2026-07-01 23:59')
})

test('headers are whole, on two lines where one is too short', async () => {
  for (const type of Object.keys(CONTENTS) as (keyof typeof CONTENTS)[]) {
    const { columns } = CONTENTS[type]
    const { text } = await pdfOf(type, [columns.map(() => null)])
    assert.not.match(text, '…')
    const words = text.replaceAll('\n', ' ')
    for (const { label } of columns) assert.ok(words.includes(label), `${label} in ${words}`)
  }
})

test('emoji are drawn, families and flags as one picture', async () => {
  // The font has one colour, so a colour of skin changes nothing.
  const { text } = await pdfOf('tickets', [ticket('1001', 'Yes 👍🏽 😀 ❤️ 👨‍👩‍👧 🇩🇪 done')])
  assert.match(text, 'Yes 👍 😀 ❤️ 👨‍👩‍👧 🇩🇪 done')
  assert.not.match(text, '□')
})

test('letters of the scripts that the guide names are in the file, with the fonts that draw them', async () => {
  const guide = await readFile('plugins/guide/shipped.md', 'utf8')
  const [, named = ''] = /those that come along have (.*?) letters and emoji\./.exec(guide) ?? []
  assert.equal(named.split(/, | and /).sort(), Object.keys(LETTERS).sort())
  const words = Object.values(LETTERS)
  const { embedded, notDrawn, text } = await pdfOf(
    'tickets',
    words.map((word, at) => ticket(String(at), word)),
  )
  const drawn = text.replaceAll('\n', '')
  for (const word of words) assert.ok(drawn.includes(word) || drawn.includes([...word].reverse().join('')), word)
  assert.equal([embedded, notDrawn], [['DejaVuSans', 'DroidSansFallback'], []])
})

test('a font of the application draws what no shipped font has, and comes before them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-font-'))
  try {
    const file = join(folder, 'Own.ttf')
    await writeFile(file, await fontWith(0x20000))
    const rows = [ticket('1001', 'Name \u{20000}')]
    const without = await pdfOf('tickets', rows)
    assert.match(without.text, 'Name □')
    assert.equal(without.notDrawn, ['U+20000'])
    const { embedded, notDrawn, text } = await pdfOf('tickets', rows, 100, [file])
    assert.match(text, 'Name \u{20000}')
    assert.not.match(text, '□')
    assert.equal([embedded, notDrawn], [['DejaVuSans'], []])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a file that is no font is named when the application is checked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-font-'))
  try {
    const [none, good, text] = ['none.ttf', 'good.ttf', 'text.ttf'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await writeFile(good, await fontWith(0x20000))
    await writeFile(text, 'no font')
    const { rules = [] } = reports
    const says = (fonts: readonly string[]) =>
      rules
        .flatMap((rule) => rule({ resources: new Map() } as never, { fonts: [...fonts] }))
        .map(({ code, message }) => `${code} ${message}`)
    assert.equal(says([]), [])
    assert.equal(says([good]), [])
    const [first, second, ...more] = says([none, good, text])
    assert.match(first!, /^reports\/unreadable_font The font .*none\.ttf of the plugin reports cannot be read: ENOENT/)
    assert.match(second!, /^reports\/unreadable_font The font .*text\.ttf of the plugin reports cannot be read: /)
    assert.equal(more, [])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a character that no font has is a box, and is named', async () => {
  const { text } = await pdfOf('tickets', [ticket('1001', 'Old \u{12000} and \u{12001}')])
  assert.match(text, 'Old □ and □')
  assert.match(text, '(U+12000, U+12001)')
})

test.run()
