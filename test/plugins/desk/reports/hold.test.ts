/** Long reports beside requests: however slow a row is, nothing else waits for many of them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Snapshot, Values } from '../../../../plugins/desk/reports/content.ts'
import { FORMATS, type Format } from '../../../../plugins/desk/reports/kinds.ts'
import { render } from '../../../../plugins/desk/reports/render.ts'
import { CONTENTS } from '../../../../plugins/desk/reports/types.ts'
import { heldBy } from '../../../support/hold.ts'

const test = suite('reports: turns')
let folder = ''

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-held-'))
})
test.after(() => rm(folder, { recursive: true }))

/** Words whose letters are shaped and joined in ways that cost more, or less, than others. */
const WORDS = {
  arabic: 'الطابعة في الطابق الثاني تطبع صفحات فارغة ',
  latin: 'The printer on the second floor prints blank pages ',
  unbroken: 'الطابعةفيالطابقالثانيتطبعصفحاتفارغة',
  marks: 'z̢̗͇̳a̡̰͍ĺ̷g̵̛o̶ ',
  mixed: 'abc الطابعة 二楼的打印机 👩‍👩‍👧 ',
}

function snapshotOf(words: string, count: number): Snapshot {
  const subject = words.repeat(60).slice(0, 250)
  const rows = Array.from({ length: count }, (_, at): Values => {
    const named = [null, null, null, null, null, '2026-07-02T12:00:00.000000Z', null, 60, null]
    return [String(at), `${at} ${subject}`, 'Open', 'High', ...named]
  })
  return {
    name: 'tickets, 2026-07-01 to 2026-07-03',
    type: 'tickets',
    period: { from: '2026-07-01', to: '2026-07-03' },
    madeAt: new Date('2026-07-04T02:30:00Z'),
    zone: 'UTC',
    content: CONTENTS.tickets,
    summary: {},
    chart: { kind: 'bar', title: 'Chart', labels: [], series: [] },
    count,
    async *rows() {
      for (let at = 0; at < count; at += 500) yield rows.slice(at, at + 500)
    },
  }
}

const made = (words: string, format: Format, count: number): Promise<void> =>
  render(snapshotOf(words, count), format, join(folder, `file.${format}`), {
    pdfRows: count,
    desk: 'The desk',
    fonts: [],
    notDrawn: () => undefined,
  })

for (const format of Object.keys(FORMATS) as Format[]) {
  for (const [name, words] of Object.entries(WORDS)) {
    if (format !== 'pdf' && name !== 'arabic') continue
    test(`a ${format} of ${name} subjects gives way many times`, async () => {
      // Loads what the writer needs.
      await made(words, format, 20)
      const { longest, whole } = await heldBy(() => made(words, format, format === 'pdf' ? 400 : 20_000), 1 / 3)
      assert.ok(longest < whole / 3, `${longest} of ${whole} ms in one piece`)
    })
  }
}

test.run()
