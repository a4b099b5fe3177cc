/** Subjects that look like encoded words: a mail program reads them as they were written. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Settings } from '../../../engine/index.ts'
import { transportOf } from '../../../plugins/mail/transport.ts'

const test = suite<{ folder: string }>('headers of mails')
test.before(async (world) => {
  world.folder = await mkdtemp(join(tmpdir(), 'plinth-words-'))
})
test.after(({ folder }) => rm(folder, { recursive: true }))

/** What a mail program makes of a header: encoded words beside each other have no blank between them (RFC 2047, section 6.2). */
function read(header: string): string {
  return header
    .replace(/(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi, '$1')
    .replace(/=\?utf-8\?([bq])\?([^?\s]*)\?=/gi, (_, kind: string, word: string) => {
      if (kind.toLowerCase() === 'b') return Buffer.from(word, 'base64').toString('utf8')
      const bytes = word
        .replaceAll('_', ' ')
        .replace(/=([0-9a-f]{2})/gi, (__, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      return Buffer.from(bytes, 'latin1').toString('utf8')
    })
}

let mails = 0
async function subjectRead(folder: string, subject: string): Promise<string> {
  mails += 1
  const letter = { subject, text: 'x', html: 'x', from: 'a@desk.example', to: 'b@desk.example', messageId: '<1@x>' }
  const sending = { id: String(mails), createdAt: new Date(0) }
  const file = await transportOf({ dataDir: folder, env: {} } as Settings)({ ...letter, date: new Date(0) }, sending)
  const head = (await readFile(file, 'utf8')).split('\r\n\r\n')[0] ?? ''
  const lines = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  for (const line of head.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998, line)
  return read(lines.find((line) => line.startsWith('Subject: '))?.slice('Subject: '.length) ?? '')
}

test('an encoded word in a subject is told as it was written', async ({ folder }) => {
  for (const subject of [
    '=?utf-8?q?Paid?=',
    '[#7] =?UTF-8?B?UGFpZA==?= now',
    '=?utf-8?q?=C3=A4?= ä',
    'a =?b',
    '=?x?q?y?=',
  ])
    assert.is(await subjectRead(folder, subject), subject)
})

test('so is every drawn subject', async ({ folder }) => {
  const piece = fc.oneof(
    fc.constantFrom('=?utf-8?q?', '=?', '?=', '=?UTF-8?B?QQ==?=', '=41', ' ', '[#7] ', 'ä', '😀', '"'),
    fc.string({ maxLength: 30 }),
  )
  const subject = fc
    .array(piece, { minLength: 1, maxLength: 8 })
    .map((pieces) => pieces.join('').replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
  await fc.assert(
    fc.asyncProperty(subject, async (text) => assert.is(await subjectRead(folder, text), text)),
    { numRuns: 300 },
  )
})

test.run()
