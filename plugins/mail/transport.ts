/** Where mail goes: an SMTP server, or `.eml` files in the outbox folder of the data directory. */
import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import type { Settings } from '../../engine/index.ts'
import type { Content } from './template.ts'

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

/** Hands a letter over and tells, for the log, to what; rejects when it can't. */
export type Transport = (letter: Letter) => Promise<string>

/** A server that does not answer must not hold a mail for nodemailer's own two minutes. */
const TIMEOUTS = { connectionTimeout: '10000', greetingTimeout: '10000', socketTimeout: '20000' }

const transports = new WeakMap<Settings, Transport>()

/** The transport that the settings ask for, made once. */
export function transportOf(settings: Settings, now: () => Date): Transport {
  let transport = transports.get(settings)
  if (transport === undefined) {
    const url = settings.env.SMTP_URL
    transport = url === undefined || url === '' ? outbox(join(settings.dataDir, 'outbox'), now) : smtp(url)
    transports.set(settings, transport)
  }
  return transport
}

function smtp(text: string): Transport {
  const url = new URL(text)
  for (const [name, value] of Object.entries(TIMEOUTS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  }
  return async (letter) => {
    const { createTransport } = await import('nodemailer')
    await createTransport(url.href).sendMail(messageOf(letter))
    return url.host
  }
}

function outbox(folder: string, now: () => Date): Transport {
  return async (letter) => {
    const { createTransport } = await import('nodemailer')
    const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail(messageOf(letter))
    // Reset links are in here: the folder and its files are for this user only.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, `${now().toISOString().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.eml`)
    await writeFile(`${file}.part`, message, { mode: 0o600 })
    await rename(`${file}.part`, file)
    return file
  }
}

function messageOf({ from, ...letter }: Letter): SendMailOptions {
  return {
    ...letter,
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
