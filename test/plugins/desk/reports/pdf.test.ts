/** A PDF as its reader sees it: what stands in it, in which order, and in whose time. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Snapshot, Values } from '../../../../plugins/desk/reports/content.ts'
import { writeReport } from '../../../../plugins/desk/reports/pdf/report.ts'
import { CONTENTS } from '../../../../plugins/desk/reports/types.ts'
import { type Pdf, readPdf } from './read.ts'

const test = suite('reports: the PDF')

/** The PDF of a report with these rows; they come in two batches. */
async function pdfOf(type: keyof typeof CONTENTS, rows: readonly Values[], pdfRows = 100): Promise<Pdf> {
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
    await writeReport(snapshot, join(folder, 'file.pdf'), { pdfRows, desk: 'The desk' })
    return readPdf(await readFile(join(folder, 'file.pdf')))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function ticket(uid: string, subject = 'It broke', created = '2026-07-02T12:00:00.000000Z'): Values {
  return [uid, subject, 'Open', 'High', null, null, null, null, null, created, null, 60, null]
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

test('a character that no font has is a box, and is named', async () => {
  const { text } = await pdfOf('tickets', [ticket('1001', 'Old \u{12000} and \u{12001}')])
  assert.match(text, 'Old □ and □')
  assert.match(text, '(U+12000, U+12001)')
})

test.run()
