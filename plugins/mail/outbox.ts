/** ⇄ The outbox: mails as `.eml` files in the data directory where there is no server, to read and to tidy. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { SendMailOptions } from 'nodemailer'
import {
  type JobContext,
  type JsonObject,
  LIMITS,
  removeOldFiles,
  type SentMail,
  type Settings,
  writeWhole,
} from '../../engine/index.ts'

/** The folder of mails without a server. */
export function outboxOf({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'outbox')
}

/** Named after the job, so that a mail that is written twice, as after a crash, is one file. */
export function outbox<Letter>(
  folder: string,
  messageOf: (letter: Letter) => SendMailOptions,
): (letter: Letter, job: { readonly id: string; readonly createdAt: Date }) => Promise<string> {
  const open = async () => (await import('nodemailer')).createTransport({ streamTransport: true, buffer: true })
  let writer: ReturnType<typeof open> | undefined
  return async (letter, { createdAt, id }) => {
    writer ??= open()
    const { message } = await (await writer).sendMail(messageOf(letter))
    const file = join(folder, `${createdAt.toISOString().replace(/[:.]/g, '-')}-${id}.eml`)
    const content = Buffer.isBuffer(message) ? message : await buffer(message)
    await writeWhole(file, content).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      // Mails hold reset links: the folder and its files are for this user only.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(file, content)
    })
    return file
  }
}

/** The mails in the outbox, in the order in which they were asked for. */
export async function sentMails(settings: Settings): Promise<readonly SentMail[]> {
  const folder = outboxOf(settings)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
  return Promise.all(names.map(async (id) => ({ id, ...readMail(await readFile(join(folder, id), 'latin1')) })))
}

/** Reads a mail as the transport writes it: headers, and texts in quoted-printable. */
function readMail(file: string): Omit<SentMail, 'id'> {
  const [head, body] = divided(file)
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1]
  const parts = boundary === undefined ? [file] : body.split(`--${boundary}\r\n`)
  const plain = parts.find((part) => /^content-type: text\/plain/im.test(divided(part)[0])) ?? ''
  return {
    to: headerIn(head, 'To'),
    subject: headerIn(head, 'Subject'),
    text: quotedPrintable(divided(plain)[1]).trim(),
  }
}

function divided(text: string): readonly [string, string] {
  const end = text.indexOf('\r\n\r\n')
  return end < 0 ? [text, ''] : [text.slice(0, end).replace(/\r\n[ \t]+/g, ' '), text.slice(end + 4)]
}

function headerIn(head: string, name: string): string {
  const [, written = ''] = new RegExp(`^${name}: (.*)$`, 'im').exec(head) ?? []
  const joined = written.replace(/\?=\s+=\?/g, '?==?').trim()
  return joined.replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, by: string, word: string) =>
    by.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : quotedPrintable(word.replaceAll('_', ' ')),
  )
}

function quotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}

const DAY_MS = 86_400_000

/** The job, on each instance; mails stay for `keep_files_days`, and forever without it. */
export async function tidy({ now, options, settings, signal }: JobContext): Promise<JsonObject> {
  const folder = outboxOf(settings)
  const halves = await removeOldFiles(folder, now(), LIMITS.temporaryMs, { named: /\.part$/, signal })
  const days = options.keep_files_days
  const keepMs = days === undefined ? Number.POSITIVE_INFINITY : Number(days) * DAY_MS
  const mails = await removeOldFiles(folder, now(), keepMs, { named: /\.eml$/, signal })
  return { halves: halves.removed, mails: mails.removed, oldest_seconds: mails.oldest_seconds }
}
