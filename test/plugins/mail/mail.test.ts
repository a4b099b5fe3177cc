/** Mail: templates, the outbox of files, a real SMTP server, and failures that stay in the log. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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

/** Hands a mail over as its job does, under an id; gives what stood in the way. */
async function send(context: MailContext, mail: Mail): Promise<string> {
  return deliver(context, mail, '4b3c').then(() => '', String)
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
  const catalog = { name: 'Desk "of" <us>', pluginOptions } as MailContext['catalog']
  const now = (): Date => new Date('2026-03-04T05:06:07Z')
  return {
    context: {
      settings,
      catalog,
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
  assert.match(file ?? '', /^2026-03-04T05-06-07-000Z-[0-9a-f]{8}\.eml$/)
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
  assert.match(reason, /no <\(an address\)> here/)
  assert.not.match(reason + JSON.stringify(lines), /bob@/i)
})

test('a name with line breaks can not add headers', async ({ template }) => {
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
