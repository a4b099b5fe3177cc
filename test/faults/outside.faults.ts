/** Mail and AI servers that are silent, or refuse: everything else goes on, and what waited is done once when they are back. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../desk/desk.ts'
import { type MailServer, startMailServer } from '../plugins/mail/smtp-server.ts'
import { until } from '../support/wait.ts'
import { type SilentServer, startSilentServer } from './silent.ts'
import { addFigures, cyclesOf } from './table.ts'

const MAILS = cyclesOf(40)
const TICKETS = cyclesOf(10)
const ROWS = 2_100
/** How long the import may take beside servers that are silent: every mail that hung held a place for 20 s. */
const IMPORT_MS = 90_000

const test = suite('faults: outside servers')

const jobs = (desk: Desk, name: string) => desk.engine.database.knex('plinth_job').where({ name })

/** Invites people, each of whom is mailed a link; gives the addresses. */
async function invite(desk: Desk, prefix: string, count: number): Promise<readonly string[]> {
  const emails = Array.from({ length: count }, (_, n) => `${prefix}${n}@people.example`)
  for (const email of emails) {
    const made = await desk.post('/customers', desk.admin, { first_name: 'Ivy', last_name: 'Invited', email })
    assert.is(made.status, 201, made.text)
  }
  return emails
}

/** What became of mails that were acknowledged to leave: each has to be there once. */
function figuresOf(emails: readonly string[], server: MailServer) {
  const counts = emails.map((email) => server.received.filter((mail) => mail.includes(`To: ${email}`)).length)
  return { lost: counts.filter((n) => n === 0).length, doubled: counts.filter((n) => n > 1).length }
}

/** A form with one file, as `fetch` sends it. */
function fileOf(rows: number): FormData {
  const lines = Array.from({ length: rows }, (_, n) => `import${n}@people.example,First ${n},Last`)
  const form = new FormData()
  form.append(
    'file',
    new Blob([['Email,First Name,Last Name', ...lines].join('\n')], { type: 'text/csv' }),
    'people.csv',
  )
  return form
}

test('a silent mail server and a silent AI server hold up neither an import nor a probe, and no mail is lost', async () => {
  const silent: SilentServer[] = [await startSilentServer(), await startSilentServer()]
  const [smtp, ai] = silent as [SilentServer, SilentServer]
  const desk = await openDesk({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}?greetingTimeout=1500`,
    AI_BASE_URL: `http://127.0.0.1:${ai.port}/v1`,
    AI_API_KEY: 'unused',
    AI_TIMEOUT_MS: '1500',
    METRICS_TOKEN: 'watch',
  })
  let server: MailServer | undefined
  try {
    assert.is((await desk.post('/ai/settings', desk.admin, { auto_classify: true })).status, 200)
    const wrong: number[] = []
    for (let n = 0; n < TICKETS; n++) {
      const ticket = await desk.post('/tickets', desk.admin, { subject: `Printer ${n}`, details: 'It does not print.' })
      if (ticket.status !== 201) wrong.push(ticket.status)
    }
    const emails = await invite(desk, 'ivy', MAILS)
    await until(() => smtp.taken() > 0 && ai.taken() > 0)
    const begun = performance.now()
    const sent = await fetch(`${desk.address}/api/v1/contacts/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.admin.token}` },
      body: fileOf(ROWS),
    })
    assert.is(sent.status, 202, await sent.clone().text())
    const { data } = (await sent.json()) as { data: { job_id: string } }
    const imported = async () => (await desk.get(`/jobs/${data.job_id}`, desk.admin)).at('data.status') === 'completed'
    await until(imported, IMPORT_MS)
    const importMs = performance.now() - begun

    await until(async () => (await desk.get('//readyz')).at('data.checks.smtp') === 'out')
    assert.is((await desk.get('//readyz')).status, 200, 'the instance serves all the same')
    const metrics = await desk.call('GET', '//metrics', { headers: { authorization: 'Bearer watch' } })
    assert.match(metrics.text, /plinth_outside_server_out\{server="smtp"\} 1/)
    const asked = smtp.taken()
    assert.ok(asked <= 3 + 4 + 2, `it was left alone: ${asked} connections for ${MAILS} mails`)

    await until(
      async () => (await jobs(desk, 'ai.classify_new').whereNot({ status: 'completed' })).length === 0,
      20_000,
    )
    await smtp.close()
    server = await startMailServer(smtp.port)
    const back = performance.now()
    await until(async () => (await jobs(desk, 'mail.send').whereNot({ status: 'completed' })).length === 0, 60_000)
    const recoveryMs = performance.now() - back
    const figures = { ...figuresOf(emails, server), torn: 0, wrong: wrong.length }
    const fault = `silent mail and AI servers (import meanwhile ${Math.round(importMs)} ms)`
    addFigures({ fault, cycles: 1, acknowledged: MAILS + TICKETS + 1, ...figures, recoveryMs })
    assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
    assert.is((await desk.get('//readyz')).at('data.checks.smtp'), 'ok')
  } finally {
    await server?.close()
    await desk.close()
    for (const one of server === undefined ? silent : [ai]) await one.close()
  }
})

test('what a mail server refuses for good is set aside at once and can be seen, and the other mails leave', async () => {
  const server = await startMailServer(0, {
    onRcptTo({ address }, _session, done) {
      const code = address.startsWith('gone') ? 550 : undefined
      done(code === undefined ? undefined : Object.assign(new Error('no such address'), { responseCode: code }))
    },
  })
  const desk = await openDesk({ SMTP_URL: `smtp://127.0.0.1:${server.port}` })
  try {
    const gone = await invite(desk, 'gone', MAILS / 4)
    const there = await invite(desk, 'there', MAILS / 4)
    await until(async () => (await jobs(desk, 'mail.send').whereNull('finished_at')).length === 0, 20_000)
    const failed = await jobs(desk, 'mail.send').where({ status: 'failed' })
    assert.equal(
      failed.map(({ attempt }) => attempt),
      gone.map(() => 1),
    )
    assert.match(failed[0]?.error ?? '', /550 no such address/)
    assert.not.match(JSON.stringify(failed.map(({ error }) => error)), /@people/)
    const figures = { ...figuresOf(there, server), torn: 0, wrong: failed.length - gone.length }
    const acknowledged = gone.length + there.length
    addFigures({ fault: 'recipients refused for good', cycles: 1, acknowledged, ...figures, recoveryMs: 0 })
    assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  } finally {
    await desk.close()
    await server.close()
  }
})
test.run()
