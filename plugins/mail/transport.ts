/** The way of mails out: an SMTP server, or the outbox; also the check of the server. */
import type { SendMailOptions, Transporter } from 'nodemailer'
import {
  type Breaker,
  breakerOf,
  type CheckContext,
  type Finding,
  JobGivenUp,
  memo,
  type Settings,
} from '../../engine/index.ts'
import { outbox, outboxOf } from './outbox.ts'
import type { Content } from './template.ts'

/** What this and the sender of mails read of the environment, for the documents. */
export const VARIABLES = {
  SMTP_URL: {
    otherwise: '`.eml` files in `$DATA_DIR/outbox`',
    meaning: 'the SMTP server for outgoing mail, `smtps://user:password@smtp.example.com`',
  },
  MAIL_FROM: { otherwise: 'no-reply at the host of BASE_URL', meaning: 'the sender of mails' },
}

/** A rendered mail. */
export interface Letter extends Content {
  readonly from: string | { readonly name: string; readonly address: string }
  readonly to: string
  readonly replyTo?: string
  readonly messageId: string
  readonly inReplyTo?: string
  readonly references?: string
  readonly date: Date
}

/** Identifies a letter that is handed over twice. */
export interface Sending {
  /** The id of its job. */
  readonly id: string
  readonly createdAt: Date
}

/**
 * Hands a letter over and returns the receiver, for the log; rejects where it cannot, with JobGivenUp where it never
 * could.
 */
export type Transport = (letter: Letter, sending: Sending) => Promise<string>

/** The name of the server's breaker. */
export const SMTP = 'smtp'
/** Mails in progress at a time, each over its own connection. */
export const CONNECTIONS = 4

/**
 * The longest time for each step, in milliseconds: nodemailer's own two minutes are too long for a silent server. A
 * connection is closed soon after the last mail, because nobody tells this plugin that the process stops.
 */
const TIMES = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const IDLE_MS = 2_000
/** The longest time for one mail: a server that sends a byte now and then is never silent. */
const MAIL_MS = 60_000

/** The transport of the settings, made once. */
export const transportOf = memo((settings: Settings): Transport => {
  const url = settings.env.SMTP_URL
  return url === undefined || url === '' ? outbox(outboxOf(settings), messageOf) : smtp(url, breakerOf(settings, SMTP))
})

/** The address of a server with the times for each step. */
function timed(text: string, times: Readonly<Record<string, number>>): URL {
  const url = new URL(text)
  for (const [name, ms] of Object.entries(times))
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(ms))
  return url
}

/** Connects to a server and signs in, without a mail; rejects with the obstacle. */
async function verifySmtp(text: string): Promise<void> {
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
 * Whether the server will never take this mail, because of its recipient or its content. An operator can correct
 * refusals of the sender or a password, so such a mail is tried again.
 */
function isRefused(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { command, responseCode }: { command?: unknown; responseCode?: unknown } = error
  return ['RCPT TO', 'DATA'].includes(String(command)) && Number(responseCode) >= 500 && Number(responseCode) < 600
}

function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function messageOf({ from, ...letter }: Letter): SendMailOptions {
  return {
    ...letter,
    subject: headerText(letter.subject),
    from: typeof from === 'string' ? from : { ...from },
    // As an address, not as text that could hold a list of them.
    to: { name: '', address: letter.to },
    textEncoding: 'quoted-printable',
    // Out-of-office programs and other desks must not answer it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

export async function checkMailServer({ settings }: CheckContext): Promise<readonly Finding[]> {
  const url = settings.env.SMTP_URL ?? ''
  if (url === '') {
    const message = `SMTP_URL is not set: mails become files in ${outboxOf(settings)}`
    if (!settings.production) return [{ level: 'ok', message }]
    return [{ level: 'warning', message, advice: 'set SMTP_URL, or nobody gets a mail' }]
  }
  if (!URL.canParse(url))
    return [{ level: 'problem', message: 'SMTP_URL is no URL', advice: 'write smtp://user:password@host:587' }]
  const { host } = new URL(url)
  try {
    await verifySmtp(url)
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    const advice =
      code === 'EAUTH' ? 'correct user and password in SMTP_URL' : 'correct SMTP_URL, or let this machine through to it'
    return [{ level: 'problem', message: `${host} takes no mail: ${message ?? code}`, advice }]
  }
  if ((settings.env.MAIL_FROM ?? '') === '') {
    const from = `no-reply@${new URL(settings.baseUrl).hostname}`
    return [
      {
        level: 'warning',
        message: `${host} takes mail, from ${from}`,
        advice: 'set MAIL_FROM to an address of your own',
      },
    ]
  }
  return [{ level: 'ok', message: `${host} takes mail` }]
}

/** The bytes of one word: 75 characters at most, twelve of them `=?UTF-8?B??=` (RFC 2047, section 2). */
const WORD_BYTES = 45

/** A text for a header without structure; nodemailer encodes other texts where needed. */
function headerText(text: string): string {
  if (!text.includes('=?')) return text
  const words: string[] = []
  let word = ''
  // A character must not be divided between two words (section 5).
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one).toString('base64')}?=`).join(' ')
}
