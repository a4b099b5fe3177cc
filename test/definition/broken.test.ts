/**
 * Broken applications, one in each file of broken/, with what their author reads. What stands in front of `=== says` are the
 * files of the application, `=== <path>` before each, over those of BASE; behind it what `plinth check` says of them.
 * A new one needs no says: with UPDATE_BROKEN=1 the test writes what is said there, to be read before it is committed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { application } from '../plugin/application.ts'

const broken = suite('broken applications')

const FOLDER = new URL('./broken/', import.meta.url)
const SAYS = 'says'

/** A small application without mistakes. */
const BASE = {
  'resources/app.yaml': 'name: Shop\nprefix: /api\n',
  'resources/shops.yaml': `resource: shops
fields:
  name: { type: string, required: true }
  city: { type: string }
policies:
  view: [{ who: anyone }]
actions: [list, get]
`,
}

/** The texts of a case by the paths above them. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/^=== (\S+)\n/m).slice(1)
  return new Map(parts.flatMap((path, i) => (i % 2 === 0 ? [[path, parts[i + 1]!] as const] : [])))
}

async function saysOf(sections: ReadonlyMap<string, string>): Promise<string> {
  const written = [...sections].filter(([path]) => path !== SAYS)
  const app = application({ ...BASE, ...Object.fromEntries(written) })
  try {
    const { diagnostics } = await app.boot()
    const said = renderDiagnostics(diagnostics)
    // A list that is cut short has other words after each key that is added.
    return said.replaceAll(/\S*plinth-app-\w+\//g, '').replaceAll(/(expected: [^,\n]+),.* and \d+ more$/gm, '$1, …')
  } finally {
    app.remove()
  }
}

const cases = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'))
for (const name of cases) {
  broken(name.replace('.txt', '').replaceAll('-', ' '), async () => {
    const file = new URL(name, FOLDER)
    const text = readFileSync(file, 'utf8')
    const sections = sectionsOf(text)
    const said = await saysOf(sections)
    if (process.env.UPDATE_BROKEN === '1') {
      writeFileSync(file, `${text.split(/^=== says\n/m)[0]}=== ${SAYS}\n${said}`)
      return
    }
    assert.snapshot(said, sections.get(SAYS) ?? '')
  })
}

broken('there are at least 300, each is refused, and with what to do', () => {
  assert.ok(cases.length >= 300, String(cases.length))
  for (const name of cases) {
    const said = sectionsOf(readFileSync(new URL(name, FOLDER), 'utf8')).get(SAYS) ?? ''
    assert.match(said, /(?:^|\s)error [\w/]+: /, name)
    assert.match(said, /expected: |hint: /, name)
  }
})

broken.run()
