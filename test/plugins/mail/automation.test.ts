/** Mails of automations: who gets one, what each recipient reads of the record, and that none comes twice. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { saysAtBoot } from '../../plugin/application.ts'
import { type Cases, casesWith, openCases } from './cases.ts'

const AUTOMATIONS = `
  opened:
    on: [create]
    when: { state: new }
    mail:
      to: [user, helper, watchers]
      subject: "Case {{ subject }}"
      text: |
        Of {{ user.name }}, by {{ helper.email }}, {{ secret }}.

        {{ details | quote }}

        {{ base_url | button: "Open" }}

        {% if number > 5 %}More than five.{% else %}Few.{% endif %} {{ due_at | date: "%d.%m.%Y %H:%M" }} at {{ app.name }}
  late:
    on: [create]
    when: { state: late }
    mail:
      to: [user, contact, cc, "boss@cases.example"]
      subject: "Late: {{ subject }}"
      text: "{{ contact.name }} and {{ secret }}"
      shows: [subject, contact.name, secret]
  nightly:
    every: "0 3 1 1 *"
    mail: { to: boss@cases.example, subject: "Happy new year", text: "From {{ app.name }}" }
  planned:
    on: [create]
    when: { number: 7777 }
    mail: { to: user, subject: "Planned: {{ subject }}", text: { file: mails/planned.liquid } }
  endless:
    on: [create]
    when: { number: 8888 }
    mail:
      to: user
      subject: "Endless: {{ subject }}"
      text: "{% if subject == 'long' %}{% for a in (1..1000) %}{% for b in (1..1000) %}{% endfor %}{% endfor %}{% endif %}short"
`

const test = suite('mails of automations')
let app: Cases
let admin: number
let agent: number
let customer: number
let stranger: number

test.before(async () => {
  app = await openCases(AUTOMATIONS)
  admin = await app.account('ada', 'admin')
  agent = await app.account('abe', 'agent')
  customer = await app.account('cleo', 'customer')
  stranger = await app.account('stan', 'customer')
})
test.after(() => app.close())

let sent = 0

/** The mails that come beyond those of earlier tests. */
async function mailed(count: number): Promise<readonly string[]> {
  const before = known
  known = await app.mailed(sent + count)
  sent = known.length
  const rest = [...before]
  return known.filter((one) => {
    const at = rest.indexOf(one)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}
let known: readonly string[] = []

test('each recipient reads the record as it may see it, and who may not see it gets nothing', async () => {
  const body = {
    subject: 'A <b>',
    details: 'One <i>two</i>\nthree',
    secret: 'hush',
    number: 7,
    due_at: '2026-03-04T05:06:00Z',
  }
  await app.make({ ...body, user_id: customer, helper_id: agent }, [admin, stranger])
  assert.equal(await mailed(3), ['abe: Case A <b>', 'ada: Case A <b>', 'cleo: Case A <b>'])
  // Answers show customers the name of who helps them, and no address.
  assert.match(await app.mailTo('cleo'), /Of cleo Tester, by , \./)
  assert.match(await app.mailTo('abe'), /Of cleo Tester, by abe@people\.example, \./)
  assert.match(await app.mailTo('ada'), /by abe@people\.example, hush\./)
  const mail = await app.mailTo('ada')
  assert.match(mail, /More than five\. 04\.03\.2026 05:06 at Cases & Co/)
  assert.match(mail, /<blockquote dir="auto">One &lt;i&gt;two&lt;\/i&gt;<br>three<\/blockquote>/)
  assert.match(mail, /<title>Case A &lt;b&gt;<\/title>/)
  assert.match(mail, /<a class="button" href="http:\/\/desk\.example">Open<\/a>/)
  assert.match(mail, /^Reply-To: help@cases\.example$/m)
})

test('accounts that may not sign in, or whose address nobody confirmed, are not mailed', async () => {
  const names = ['gone', 'unknown', 'deleted']
  const [gone, unknown, deleted] = await Promise.all(names.map((name) => app.account(name, 'agent')))
  const id = await app.make({ subject: 'B', state: 'gone', user_id: unknown!, helper_id: gone! }, [deleted!, agent])
  const { knex } = app.engine.database
  await knex('users').where({ id: gone }).update({ status: 'declined' })
  await knex('users').where({ id: unknown }).update({ email_verified: false })
  await knex('users').where({ id: deleted }).update({ deleted_at: new Date() })
  await app.act('opened', [{ id, moment: '2026-03-04T05:06:00.000000Z' }])
  assert.equal(await mailed(1), ['abe: Case B'])
})

test('an address without an account reads what is named for it; nobody is mailed twice', async () => {
  const contact = await app.contact('carl')
  const cc = ['copy@cases.example', 'cleo@people.example']
  await app.make({ subject: 'C', state: 'late', secret: 'hush', user_id: customer, contact_id: contact, cc })
  assert.equal(await mailed(4), ['boss: Late: C', 'carl: Late: C', 'cleo: Late: C', 'copy: Late: C'])
  assert.match(await app.mailTo('carl'), /carl and hush/)
  // The account's own sight counts for its address, also where that is named beside it.
  assert.match(await app.mailTo('cleo'), /carl and\n/)
  assert.not.match(await app.mailTo('cleo'), /hush/)
})

test('what is done twice is mailed once, and a hundred records take as many statements as one', async () => {
  const ids: number[] = []
  for (let i = 0; i < 100; i++) {
    const [made] = await app.engine.database
      .knex('cases')
      .insert({ subject: `N${i}`, state: 'gone', user_id: customer, helper_id: i % 2 ? agent : admin, cc: '[]' })
      .returning('id')
    ids.push(made.id)
  }
  const records = ids.map((id) => ({ id, moment: '2026-03-04T05:06:00.000000Z' }))
  const one = await app.act('opened', records.slice(0, 1))
  await app.act('opened', records.slice(0, 2))
  const all = await app.act('opened', records)
  assert.equal(await mailed(200).then((mails) => mails.length), 200)
  await app.act('opened', records)
  assert.equal(await mailed(0), [])
  assert.ok(all <= one + 1, `${one} statements for one record, ${all} for a hundred`)
  await app.act('opened', [{ id: ids[0]!, moment: '2026-03-05T05:06:00.000000Z' }])
  assert.equal(await mailed(2), ['ada: Case N0', 'cleo: Case N0'])
})

test('a text that takes too long fails the run of its record with a sentence, and of no other', async () => {
  const body = { number: 8888, user_id: customer, state: 'gone' }
  const long = await app.make({ ...body, subject: 'long' })
  await app.make({ ...body, subject: 'quick' })
  assert.equal(await mailed(1), ['cleo: Endless: quick'])
  const runs = await app.engine.database
    .knex('plinth_automation_run')
    .where({ automation: 'cases.endless', outcome: 'failed' })
    .select('record_id', 'what')
  assert.equal(
    runs.map(({ record_id }) => Number(record_id)),
    [long],
  )
  assert.match(JSON.stringify(runs[0]?.what), /A text of the automation takes more than 100 ms of the processor/)
})

test('a schedule without records mails addresses', async () => {
  await app.act('nightly', [])
  assert.equal(await mailed(1), ['boss: Happy new year'])
  assert.match(await app.mailTo('boss'), /From Cases & Co/)
})

test('a text may stand in a file of its own, beside the YAML', async () => {
  await app.make({ subject: 'roof', user_id: customer, details: 'Tiles & more', number: 7777, state: 'gone' })
  assert.equal(await mailed(1), ['cleo: Planned: roof'])
  const mail = await app.mailTo('cleo')
  assert.match(mail, 'Dear cleo')
  assert.match(mail, 'Tiles & more')
})

test.run()

const mistakes = suite('mistakes in mails of automations')

async function saysOf(mail: string, expected: readonly string[]): Promise<void> {
  const files = casesWith(`  act:\n    on: [create]\n    mail: { ${mail} }\n`)
  const prefixed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`resources/${name}`, text]))
  assert.equal(await saysAtBoot(prefixed), expected)
}

mistakes('recipients that there are not', async () => {
  await saysOf(
    'to: [usr, user.nme, subject, notes, boss@, user.email, watchers.email, contact.email.x], subject: s, text: t',
    [
      'cases.yaml [usr] wrong_automation: "usr" leads nowhere from "cases" (did you mean "user"?)',
      'cases.yaml [user.nme] wrong_automation: "user.nme" leads nowhere from "users" (name a relation, a field of type email, or an address)',
      'cases.yaml [subject] wrong_automation: "subject" (string) holds no e-mail address',
      'cases.yaml [notes] wrong_automation: "notes" leads to notes, which have no e-mail address',
      'cases.yaml [boss@] wrong_automation: "boss@" is no e-mail address',
      'cases.yaml [user.email] wrong_automation: "user.email" is the address of an account (write user, which mails the account)',
      'cases.yaml [watchers.email] wrong_automation: "watchers.email" is the address of an account (write watchers, which mails the account)',
      'cases.yaml [contact.email.x] wrong_automation: "contact.email.x" leads nowhere from "cases" (name a relation, a field of type email, or an address)',
    ],
  )
})

mistakes('a file that is not there, and one whose text cannot be read', async () => {
  await saysOf('to: user, subject: s, text: { file: mails/planed.liquid }', [
    'cases.yaml [mails/planed.liquid] source_unreadable: There is no file mails/planed.liquid beside cases.yaml (did you mean "mails/planned.liquid"?)',
  ])
  const files = casesWith('  act: { on: [create], mail: { to: user, subject: s, text: { file: mails/x.liquid } } }\n')
  const prefixed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`resources/${name}`, text]))
  assert.equal(await saysAtBoot({ ...prefixed, 'resources/mails/x.liquid': '{{ subjct }}' }), [
    'cases.yaml [{ file: mails/x.liquid }] wrong_automation: "cases" has no field "subjct" (did you mean "subject"?)',
  ])
})

mistakes('texts that cannot be read, and paths that lead nowhere', async () => {
  await saysOf(
    'to: user, subject: "{{ subjct }} {{ user }} {{ pin }}", text: "{{ user.name.first }} {{ notes.text }} {{ labels_count }}"',
    [
      'cases.yaml ["{{ subjct }} {{ user }} {{ pin }}"] wrong_automation: "cases" has no field "subjct" (did you mean "subject"?)',
      'cases.yaml ["{{ subjct }} {{ user }} {{ pin }}"] wrong_automation: "user" is a record, not a value (name one of its fields, such as user.name)',
      'cases.yaml ["{{ subjct }} {{ user }} {{ pin }}"] wrong_automation: "pin" is a secret',
      'cases.yaml ["{{ user.name.first }} {{ notes.text }} {{ labels_count }}"] wrong_automation: "user.name" is a value and has no "first"',
      'cases.yaml ["{{ user.name.first }} {{ notes.text }} {{ labels_count }}"] wrong_automation: "notes" leads to several records, of which a text cannot speak',
      'cases.yaml ["{{ user.name.first }} {{ notes.text }} {{ labels_count }}"] wrong_automation: "labels_count" is counted for each reader, and a text cannot name it',
    ],
  )
  await saysOf('to: user, subject: "{% if subject %}", text: "{{ subject | shout }}"', [
    'cases.yaml ["{% if subject %}"] wrong_automation: The text cannot be read: tag {% if subject %} not closed',
    'cases.yaml ["{{ subject | shout }}"] wrong_automation: The text cannot be read: undefined filter: shout',
  ])
  await saysOf('to: user, subject: "{{ subject | where_exp: 1, 2 }}", text: "{% for a in (1..number) %}{% endfor %}"', [
    'cases.yaml ["{{ subject | where_exp: 1, 2 }}"] wrong_automation: The text cannot be read: undefined filter: where_exp',
    'cases.yaml ["{% for a in (1..number) %}{% endfor %}"] wrong_automation: The text counts from one value to another, (1..number): a range goes over numbers, 1000 of them at most',
  ])
})

mistakes('a filter that no value gets through, by what is written, in every branch', async () => {
  const wrong = 'wrong_automation: The text can never be filled in: Invalid time zone specified: Europe/Zuerich'
  const texts = [
    '{{ due_at | date: "%d", "Europe/Zuerich" }}',
    '{% if number %}{{ number }}{% else %}{{ due_at | date: "%d", "Europe/Zuerich" | upcase }}{% endif %}',
    '{% assign zone = "Europe/Zuerich" %}{% for label in cc %}{{ due_at | date: "%d", zone }}{% endfor %}',
  ]
  for (const text of texts) {
    await saysOf(`to: user, subject: s, text: '${text}'`, [`cases.yaml ['${text}'] ${wrong}`])
  }
  await saysOf(
    `to: user, subject: s, text: '{{ due_at | date: "%d", "Europe/Zurich" }} {{ due_at | date: "%d", subject }}'`,
    [],
  )
})

mistakes('what a recipient without an account would have to read is named for it', async () => {
  await saysOf('to: [user, contact], subject: "{{ subject }}", text: "{{ user.name }}", shows: [subject, nothing]', [
    'cases.yaml ["{{ user.name }}"] wrong_automation: A recipient without an account may not read "user.name" (name it under shows: [subject, nothing, user.name])',
    'cases.yaml [nothing] wrong_automation: "cases" has no field "nothing"',
  ])
})

mistakes.run()
