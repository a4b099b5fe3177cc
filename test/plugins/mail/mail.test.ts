/** Mail: templates, the outbox of files, a real SMTP server, and failures that stay in the log. */
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SMTPServerOptions } from 'smtp-server'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobContext, JsonObject } from '../../../engine/index.ts'
import { tidy } from '../../../plugins/mail/outbox.ts'
import { deliver, type Mail, type MailContext } from '../../../plugins/mail/send.ts'
import { renderMail } from '../../../plugins/mail/template.ts'
import { startMailServer } from './smtp-server.ts'

interface State {
  folder: string
  template: URL
}

interface Line {
  readonly level: string
  readonly fields: object
}

const test = suite<State>('mail', { folder: '', template: new URL('file:///') })

test.before(async (state) => {
  state.folder = await mkdtemp(join(tmpdir(), 'plinth-mail-'))
  const file = join(state.folder, 'hello.liquid')
  await writeFile(file, 'Subject: Hello {{ name }}\n\nDear {{ name }},\nsee {{ base_url }}.\n')
  state.template = pathToFileURL(file)
})

test.after(({ folder }) => rm(folder, { recursive: true }))

const SENDING = { id: '4b3c', createdAt: new Date('2026-03-04T05:06:00Z') }

/** Hands a mail over as its job does, under its id; gives what stood in the way. */
async function send(context: MailContext, mail: Mail): Promise<string> {
  return deliver(context, mail, SENDING).then(() => '', String)
}

/** A context with the settings that mail reads, and the lines it logs. */
function contextOf(
  folder: string,
  env: Record<string, string>,
  options: Record<string, string> = {},
): { context: MailContext; lines: Line[] } {
  const lines: Line[] = []
  const log = (level: string) => (fields: object) => void lines.push({ level, fields })
  const settings = { dataDir: folder, baseUrl: 'https://desk.example:8443', env } as MailContext['settings']
  const pluginOptions: MailContext['catalog']['pluginOptions'] = new Map([['mail', options]])
  const resources: MailContext['catalog']['resources'] = new Map()
  const words: MailContext['catalog']['words'] = new Map()
  const catalog = { name: 'Desk "of" <us>', pluginOptions, resources, words } as MailContext['catalog']
  const now = (): Date => new Date('2026-03-04T05:06:07Z')
  return {
    context: {
      settings,
      catalog,
      database: {} as MailContext['database'],
      now,
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    },
    lines,
  }
}

test('a mail becomes a file that only its owner may read, while no server is configured', async ({
  folder,
  template,
}) => {
  const { context, lines } = contextOf(folder, {})
  await send(context, { template, to: 'ann@example.org', data: { name: 'Ann' } })
  const [file] = await readdir(join(folder, 'outbox'))
  assert.match(file ?? '', /^2026-03-04T05-06-00-000Z-4b3c\.eml$/)
  const path = join(folder, 'outbox', file ?? '')
  const text = await readFile(path, 'utf8')
  assert.match(text, /^To: ann@example\.org\r?$/m)
  assert.match(text, /^Subject: Hello Ann\r?$/m)
  assert.match(text, /^From: .*<no-reply@desk\.example>\r?$/m)
  assert.match(text, /see https:\/\/desk\.example:8443\./)
  assert.is((await stat(path)).mode & 0o077, 0)
  assert.is(lines.length, 1)
  assert.not.match(JSON.stringify(lines), /Dear|ann@/, 'neither what it says nor to whom')
})

test('a mail goes to the server of SMTP_URL, from MAIL_FROM', async ({ folder, template }) => {
  const server = await startMailServer()
  const { context, lines } = contextOf(folder, {
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'Help <help@desk.example>',
  })
  await send(context, { template, to: 'bob@example.org', data: { name: 'Bob' } })
  await server.close()
  assert.is(server.received.length, 1)
  assert.match(server.received[0] ?? '', /From: Help <help@desk\.example>/)
  assert.match(server.received[0] ?? '', /Dear Bob,/)
  assert.is(lines[0]?.level, 'info')
  assert.not.match(JSON.stringify(lines), /bob@/)
})

test('a server that does not answer is an error that the queue hears of, and nothing is logged as sent', async ({
  folder,
  template,
}) => {
  const { context, lines } = contextOf(folder, { SMTP_URL: 'smtp://127.0.0.1:1' })
  assert.match(await send(context, { template, to: 'bob@example.org', data: { name: 'Bob' } }), /ECONNREFUSED/)
  assert.equal(lines, [])
})

test('an address that the server refuses is not repeated to the queue', async ({ folder, template }) => {
  const server = await startMailServer(0, {
    onRcptTo: ({ address }, _session, done) => done(new Error(`no <${address}> here`)),
  })
  const { context, lines } = contextOf(folder, { SMTP_URL: `smtp://127.0.0.1:${server.port}` })
  const reason = await send(context, { template, to: 'Bob@example.org', data: { name: 'Bob' } })
  await server.close()
  assert.match(reason, /^JobGivenUp: .*no <\(an address\)> here/)
  assert.not.match(reason + JSON.stringify(lines), /bob@/i)
})

test('a mail that is handed over again, as after a crash, is the same file', async ({ folder, template }) => {
  const own = join(folder, 'again')
  const { context } = contextOf(own, {})
  for (let n = 0; n < 2; n++) await send(context, { template, to: 'ann@example.org', data: { name: 'Ann' } })
  assert.is((await readdir(join(own, 'outbox'))).length, 1)
})

test('what the server refuses for now, or for a password, is tried again', async ({ folder, template }) => {
  const answers = [421, 450, 535]
  for (const responseCode of answers) {
    const refuse: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error('not now'), { responseCode }))
    const none: SMTPServerOptions['onMailFrom'] = (_address, _session, done) =>
      done(Object.assign(new Error('not you'), { responseCode }))
    const server = await startMailServer(0, responseCode === 535 ? { onMailFrom: none } : { onRcptTo: refuse })
    const { context } = contextOf(folder, { SMTP_URL: `smtp://127.0.0.1:${server.port}` })
    const reason = await send(context, { template, to: 'bob@example.org', data: { name: 'Bob' } })
    await server.close()
    assert.match(reason, /^Error: /, String(responseCode))
  }
})

test('mails that follow each other share a connection', async ({ folder, template }) => {
  let connections = 0
  const server = await startMailServer(0, {
    onConnect(_session, done) {
      connections += 1
      done()
    },
  })
  const { context } = contextOf(folder, { SMTP_URL: `smtp://127.0.0.1:${server.port}` })
  for (let n = 0; n < 5; n++) await send(context, { template, to: 'bob@example.org', data: { name: `Bob ${n}` } })
  assert.equal([server.received.length, connections], [5, 1])
  await server.close()
})

test('a server that is silent is left alone after three mails, and costs the next ones no time', async ({
  folder,
  template,
}) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { context } = contextOf(folder, { SMTP_URL: `smtp://127.0.0.1:${port}?greetingTimeout=50` })
  const mail = { template, to: 'bob@example.org', data: { name: 'Bob' } }
  for (let n = 0; n < 3; n++) assert.match(await send(context, mail), /^Error: Greeting never received/)
  assert.match(await send(context, mail), /^BreakerOpen: Service unavailable/)
  assert.is(sockets.size, 3)
  for (const socket of sockets) socket.destroy()
  server.close()
})

test('old mails of the outbox go when the application says so, and half written ones in any case', async ({
  folder,
}) => {
  const own = join(folder, 'tidied')
  await mkdir(join(own, 'outbox'), { recursive: true })
  const put = async (name: string, days: number): Promise<void> => {
    await writeFile(join(own, 'outbox', name), 'x')
    const at = new Date(Date.now() - days * 86_400_000)
    await utimes(join(own, 'outbox', name), at, at)
  }
  await put('old.eml', 31)
  await put('young.eml', 29)
  await put('old.eml.part', 2)
  await put('young.eml.part', 0)
  await put('notes.txt', 99)
  const { context } = contextOf(own, {})
  const run = (options: JsonObject) =>
    tidy({ ...context, now: () => new Date(), signal: new AbortController().signal, options } as JobContext)
  assert.equal(await run({}), { halves: 1, mails: 0, oldest_seconds: 31 * 86_400 })
  assert.equal(await run({ keep_files_days: 30 }), { halves: 0, mails: 1, oldest_seconds: 29 * 86_400 })
  assert.equal((await readdir(join(own, 'outbox'))).sort(), ['notes.txt', 'young.eml', 'young.eml.part'])
})

test('a name with line breaks cannot add headers', async ({ template }) => {
  const { subject } = await renderMail(template, { name: 'Eve\r\nBcc: all@example.org', base_url: '' })
  assert.is(subject, 'Hello Eve Bcc: all@example.org')
})

/** The parts of a mail as it lies in the outbox: its headers, and what a person reads. */
async function lastOf(folder: string): Promise<{ head: string; text: string; html: string }> {
  const file = (await readdir(join(folder, 'outbox'))).sort().at(-1) ?? ''
  const mail = (await readFile(join(folder, 'outbox', file), 'utf8')).replace(/\r\n/g, '\n')
  const [head = '', text = '', html = ''] = mail.split(/\n--[-_\w.]+(?:\n|--)/)
  return { head: head.replace(/\n[ \t]+/g, ' '), text: text.replace(/=\n/g, ''), html: html.replace(/=\n/g, '') }
}

test('a mail has its words as text and as HTML, says that no person sent it, and where answers go', async ({
  folder,
}) => {
  const file = join(folder, 'parts.liquid')
  await writeFile(
    file,
    'Subject: Parts\n\nHello {{ name }},\n\nSeen & done <here>\nat once.\n\n{{ said | quote }}\n\n{{ link | button: "Open it" }}\n',
  )
  const own = join(folder, 'own')
  const { context } = contextOf(own, {}, { reply_to: 'help@desk.example' })
  const said = 'One\r\n  two\n\n<script>alert(1)</script> see https://example.org/a?b=1&c=2.\u0007'
  const data = { name: '<b>Ann</b>', said, link: 'https://desk.example/t/1?a="' }
  await send(context, { template: pathToFileURL(file), to: 'ann@example.org', data, thread: 'ticket-7' })
  const { head, text, html } = await lastOf(own)
  assert.match(head, /^Content-Type: multipart\/alternative/m)
  assert.match(head, /^Auto-Submitted: auto-generated$/m)
  assert.match(head, /^Reply-To: help@desk\.example$/m)
  assert.match(head, /^Message-ID: <ticket-7\.4b3c@desk\.example>$/m)
  assert.match(head, /^In-Reply-To: <ticket-7@desk\.example>$/m)
  assert.match(head, /^References: <ticket-7@desk\.example>$/m)
  assert.match(text, /Hello <b>Ann<\/b>,\n\nSeen & done <here> at once\.\n\n {2}One\n {4}two\n\n {2}<script>/)
  assert.match(text, /\nhttps:\/\/desk\.example\/t\/1\?a="\n/)
  assert.match(text, /\n-- ?(=20)?\nDesk "of" <us>\n/)
  assert.match(
    html,
    /<p dir=3D"auto">Hello &lt;b&gt;Ann&lt;\/b&gt;,<\/p>\n<p dir=3D"auto">Seen &amp; done &lt;here&gt; at once\.<\/p>/,
  )
  assert.match(html, /One<br> {2}two<br><br>&lt;script&gt;alert\(1\)&lt;\/script&gt; see /)
  assert.match(html, /<a href=3D"https:\/\/example\.org\/a\?b=3D1&amp;c=3D2">https:[^<]*<\/a>\.<\/blockquote>/)
  assert.match(html, /<a class=3D"button" href=3D"https:\/\/desk\.example\/t\/1\?a=3D&#34;">Open it<\/a>/)
  assert.match(html, /Desk &#34;of&#34; &lt;us&gt;/)
  assert.not.match(html, /<script/)
})

test('a template that names what is not there is refused', async ({ template }) => {
  try {
    await renderMail(template, { name: 'Ann' })
    assert.unreachable('rendered without base_url')
  } catch (error) {
    assert.match(String(error), /base_url/)
  }
})

test.run()
