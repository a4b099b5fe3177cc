/** What authors read about surveys and ratings that could not work. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deskWith } from '../../../desk/offered.ts'
import { saysAtBoot } from '../../../plugin/application.ts'

const test = suite('satisfaction: mistakes')

/** What is said about the desk with one of its files changed. */
function says(file: string, change: (text: string) => string): Promise<readonly string[]> {
  const files = deskWith('ask_satisfaction')
  const text = files[file] ?? ''
  const changed = change(text)
  assert.is.not(changed, text)
  const all = Object.entries({ ...files, [file]: changed }).map(([name, one]) => [`resources/${name}`, one] as const)
  return saysAtBoot(Object.fromEntries(all))
}

test('the text names the link, and nothing that there is not', async () => {
  const [without = ''] = await says('tickets.yaml', (text) =>
    text.replace('{{ link | button: "Rate our help" }}', 'Bye'),
  )
  assert.match(without, 'The text does not name the link')
  const [unknown = ''] = await says('tickets.yaml', (text) =>
    text.replace('{{ link | button', '{{ lnk }} {{ link | button'),
  )
  assert.match(unknown, '"tickets" has no field "lnk"')
})

test('only tickets are asked about', async () => {
  const survey = `automations:
  ask: { on: [create], survey: { to: user, subject: Hi, text: "{{ link }}" } }
`
  const said = await says('notes.yaml', (text) => `${text}\n${survey}`)
  assert.match(said.join('\n'), 'A survey asks about tickets, and "notes" are none')
})

test('the fields of a rating are missed by their names', async () => {
  const said = await says('satisfaction_ratings.yaml', (text) => text.replace(/^ {2}token_hash:.*\n/m, ''))
  assert.match(
    said.join('\n'),
    'satisfaction/missing: The plugin "satisfaction" relies on "token_hash" of "satisfaction_ratings"',
  )
})

test.run()
