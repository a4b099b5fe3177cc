/** Where mail goes: an SMTP server, or `.eml` files in the outbox folder of the data directory. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { SendMailOptions, Transporter } from 'nodemailer'
import { type Breaker, breakerOf, JobGivenUp, memo, type Settings, writeWhole } from '../../engine/index.ts'
import { headerText } from './encoded-word.ts'
import type { Content } from './template.ts'

/** What this and the sender of mails read of the environment, for the documents. */
export const VARIABLES = {
  SMTP_URL: {
    otherwise: '`.eml` files in `$DATA_DIR/outbox`',
    meaning: 'the SMTP server for outgoing mail, `smtps://user:password@smtp.example.com`',
  },
  MAIL_FROM: { otherwise: 'no-reply at the host of BASE_URL', meaning: 'the sender of mails' },
}

/** A rendered mail on its way. */
export interface Letter extends Content {
  readonly from: string | { readonly name: string; readonly address: string }
  readonly to: string
  readonly replyTo?: string
  readonly messageId: string
  readonly inReplyTo?: string
  readonly references?: string
  readonly date: Date
}

/** What a letter is recognised by when it is handed over twice. */
export interface Sending {
  /** The id of its job. */
  readonly id: string
  readonly createdAt: Date
}

/** Hands a letter over and tells, for the log, to what; rejects when it cannot, with JobGivenUp where it never could. */
export type Transport = (letter: Letter, sending: Sending) => Promise<string>

/** The name of the server's breaker. */
export const SMTP = 'smtp'
/** Mails that are on their way at a time, each over a connection of its own. */
export const CONNECTIONS = 4

/**
 * How long each step may take, in milliseconds: nodemailer's own two minutes are too long for a server that is silent. A
 * connection is closed soon after the last mail, because nobody tells this plugin that the process stops.
 */
const TIMES = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const IDLE_MS = 2_000
/** How long one mail may take altogether: a server that sends a byte now and then is never silent. */
const MAIL_MS = 60_000

/** The transport that the settings ask for, made once. */
export const transportOf = memo((settings: Settings): Transport => {
  const url = settings.env.SMTP_URL
  return url === undefined || url === '' ? outbox(outboxOf(settings)) : smtp(url, breakerOf(settings, SMTP))
})

/** The folder of mails that no server takes. */
export function outboxOf({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'outbox')
}

/** The address of a server with how long each step may take. */
function timed(text: string, times: Readonly<Record<string, number>>): URL {
  const url = new URL(text)
  for (const [name, ms] of Object.entries(times))
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(ms))
  return url
}

/** Connects to a server and signs in, without a mail; rejects with what is in the way. */
export async function verifySmtp(text: string): Promise<void> {
  const transporter = (await import('nodemailer')).createTransport(timed(text, TIMES).href)
  try {
    await transporter.verify()
  } finally {
    transporter.close()
  }
}

function smtp(text: string, breaker: Breaker): Transport {
  const url = timed(text, { ...TIMES, idleTimeout: IDLE_MS })
  const pool = { pool: 'true', maxConnections: String(CONNECTIONS) }
  for (const [name, value] of Object.entries(pool)) url.searchParams.set(name, value)
  let transporter: Promise<Transporter> | undefined
  const open = async (): Promise<Transporter> => (await import('nodemailer')).createTransport(url.href)
  return (letter) =>
    breaker.run(async () => {
      transporter ??= open()
      const late = AbortSignal.timeout(MAIL_MS)
      const sent = { ...messageOf(letter), signal: late }
      await (await transporter).sendMail(sent).catch((error: unknown) => {
        if (late.aborted) throw Object.assign(new Error('the mail server takes too long'), { code: 'ETIMEDOUT' })
        throw isRefused(error) ? new JobGivenUp(messageIn(error)) : error
      })
      return url.host
    })
}

/**
 * Whether the server says that it will never take this mail: for its recipient, or for what stands in it. What it says of
 * the sender or of a password is for an operator to put right, and the mail is tried again.
 */
function isRefused(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { command, responseCode }: { command?: unknown; responseCode?: unknown } = error
  return ['RCPT TO', 'DATA'].includes(String(command)) && Number(responseCode) >= 500 && Number(responseCode) < 600
}

function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Named by the job, so that a mail that is written twice, as after a crash, is one file. */
function outbox(folder: string): Transport {
  const open = async () => (await import('nodemailer')).createTransport({ streamTransport: true, buffer: true })
  let writer: ReturnType<typeof open> | undefined
  return async (letter, { createdAt, id }) => {
    writer ??= open()
    const { message } = await (await writer).sendMail(messageOf(letter))
    const file = join(folder, `${createdAt.toISOString().replace(/[:.]/g, '-')}-${id}.eml`)
    const content = Buffer.isBuffer(message) ? message : await buffer(message)
    await writeWhole(file, content).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      // Reset links are in here: the folder and its files are for this user only.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(file, content)
    })
    return file
  }
}

function messageOf({ from, ...letter }: Letter): SendMailOptions {
  return {
    ...letter,
    subject: headerText(letter.subject),
    from: typeof from === 'string' ? from : { ...from },
    // As an address, not as text that could hold a list of them.
    to: { name: '', address: letter.to },
    textEncoding: 'quoted-printable',
    // Out-of-office answers and other desks must not answer it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
