/** Mails and notifications of the desk in the language of each reader. */
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../../engine/boot/boot.ts'
import { missingWords } from '../../../engine/catalog/words.ts'
import { type Desk, mailsTo, openDesk, type Person, registerAt } from '../../desk/desk.ts'
import { until } from '../../support/wait.ts'

let desk: Desk
let folder: string
let english: Person
let german: Person
const test = suite('desk: languages of mails')

const KEPT = `
automations:
  kept:
    on: [create]
    mail:
      to: user
      subject: "Kept: {{ name }}"
      text: |
        Dear {{ user.first_name }},

        your note is kept at {{ app.name }}.
`

const KEPT_WORDS = `
  notes:
    label: { one: Notiz, many: Notizen }
    texts:
      "Kept: {{ name }}": "Aufgehoben: {{ name }}"
      "Dear {{ user.first_name }}, your note is kept at {{ app.name }}.": |
        Guten Tag {{ user.first_name }},

        Ihre Notiz ist bei {{ app.name }} aufgehoben.
`

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-languages-'))
  await cp('resources', folder, { recursive: true })
  await appendFile(join(folder, 'notes.yaml'), KEPT)
  const words = join(folder, 'de.words.yaml')
  await writeFile(words, (await readFile(words, 'utf8')).replace(/\n {2}notes:\n.*\n/, KEPT_WORDS))
  desk = await openDesk({}, folder)
  english = await desk.person('agent', 'Enid')
  german = await desk.person('agent', 'Greta')
  const chosen = await desk.put(`/users/${german.id}`, german, { language: 'de' })
  assert.is(chosen.at('data.language'), 'de', chosen.text)
})
test.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true })
})

const subjectOf = (mail: string): string => /^Subject: (.*)$/m.exec(mail)?.[1] ?? ''

async function assign(to: Person): Promise<string> {
  const made = await desk.post('/tickets', desk.admin, { subject: 'Printer', details: 'It burns.' })
  const moved = await desk.put(`/tickets/${made.at('data.id')}`, desk.admin, { assigned_to: to.id })
  assert.is(moved.status, 200, moved.text)
  return String(made.at('data.uid'))
}

test('each of two people is told in the list and by mail in their own language', async () => {
  const told = async (person: Person) => {
    const uid = await assign(person)
    const [mail = ''] = await mailsTo(desk, person.email, 1, new RegExp(`#${uid}`))
    let title = ''
    await until(async () => {
      title = String((await desk.get('/notifications', person)).at('data.0.title'))
      return title.includes(uid)
    })
    return { uid, mail, title }
  }
  const [own, other] = [await told(german), await told(english)]
  assert.is(own.title, `Ticket #${own.uid} wurde Ihnen zugewiesen`)
  assert.match(own.mail, /Guten Tag Greta,/)
  assert.match(own.mail, new RegExp(`hat Ihnen das Ticket #${own.uid} zugewiesen\\.`))
  assert.match(own.mail, /-- \nKundendienst/)
  assert.is(other.title, `Ticket #${other.uid} was assigned to you`)
  assert.match(other.mail, /Hello Enid,/)
  assert.match(other.mail, /-- \nSupport Desk/)
})

test('a registration says the language, and the mails of the account are in it', async () => {
  const person = await registerAt(desk, 'Gerd', { language: 'de' })
  const [confirm = ''] = await mailsTo(desk, person.email, 1)
  assert.match(confirm.replace(/\s+/g, ' '), /ein Konto bei Kundendienst angegeben/)
  assert.is((await desk.post('/auth/password/reset', undefined, { email: person.email })).status, 200)
  const [reset = ''] = await mailsTo(desk, person.email, 1, /Passwort/)
  assert.match(reset, /innerhalb von 60 Minuten/)
  assert.match(reset, /Kundendienst/)
})

test('a new address is asked to confirm itself in the language of the account', async () => {
  const body = { email: 'greta@new.example', current_password: german.password }
  const changed = await desk.put(`/users/${german.id}`, german, body)
  assert.is(changed.status, 200, changed.text)
  const [mail = ''] = await mailsTo(desk, 'greta@new.example', 1)
  assert.match(mail, /Guten Tag,/)
  const [old = ''] = await mailsTo(desk, german.email, 1, /Adresse/)
  assert.match(old, /Diese Adresse gilt, bis/)
})

test('an automation mails in it too, whatever the lines of its text', async () => {
  for (const person of [german, english]) await desk.post('/notes', person, { name: 'Keys' })
  const [own = ''] = await mailsTo(desk, german.email, 1, /Keys/)
  assert.is(subjectOf(own), 'Aufgehoben: Keys')
  assert.match(own, /Guten Tag Greta,\n\nIhre Notiz ist bei Kundendienst aufgehoben\./)
  const [other = ''] = await mailsTo(desk, english.email, 1, /Keys/)
  assert.match(other, /Dear Enid,\n\nyour note is kept at Support Desk\./)
})

/** What a boot says of the desk with other words: the last of two texts takes the place of the first. */
async function saysOf(
  ...changes: readonly (readonly [from: string | RegExp, to: string])[]
): Promise<readonly string[]> {
  const words = join(folder, 'de.words.yaml')
  const text = await readFile(words, 'utf8')
  await writeFile(
    words,
    changes.reduce((changed, [from, to]) => changed.replace(from, to), text),
  )
  const { diagnostics, value } = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  await writeFile(words, text)
  const missing = value === undefined ? [] : missingWords(value.catalog, 'de')
  return [...diagnostics.map(({ message }) => message), ...missing.map(({ path }) => `missing ${path.join('.')}`)]
}

test('a text that no file translates is listed, and a translation that cannot be filled in is refused', async () => {
  assert.equal(await saysOf([/ {6}"Kept: .*\n/, '']), ['missing resources.notes.texts.Kept: {{ name }}'])
  const wrong = await saysOf(
    ['Aufgehoben: {{ name }}', 'Aufgehoben: {{ details }}'],
    ['Ihre Notiz ist', '{% if %}'],
    ['hat Ihnen das Ticket #{{ uid }} zu', 'hat Ihnen das Ticket #{{ nid }} zu'],
    [/^resources:/m, 'plugins: { auth: { reset: "Guten Tag", rest: "Guten Tag" } }\nresources:'],
  )
  assert.equal([...wrong].sort(), [
    'In de.words.yaml, plugins.auth.reset: The text does not begin with "Subject: " and the subject',
    'In de.words.yaml: The text cannot be read: invalid value expression: ""',
    'In de.words.yaml: The text names "details", which the text that it stands for does not name',
    'In de.words.yaml: The text names "nid", which the text that it stands for does not name',
    'The plugin "auth" has no text "rest"',
  ])
})

test('the option language names an enum of the languages of the application', async () => {
  const says = async (from: string, to: string, file: string) => {
    const path = join(folder, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(from, to))
    const { diagnostics } = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
    await writeFile(path, text)
    return diagnostics.map(({ message }) => message)
  }
  assert.equal(await says('language: language', 'language: phone', 'app.yaml'), [
    'The option "language" of the plugin auth names "phone", which is no enum',
  ])
  assert.equal(await says('language: language', 'language: tongue', 'app.yaml'), [
    'Accounts have no field "tongue", which the option "language" of the plugin auth names',
  ])
  assert.ok(
    (await says('values: [en, de]', 'values: [en, fr]', 'users.yaml')).includes(
      '"fr", a value of "language", is no language of app.yaml',
    ),
  )
})

test.run()
