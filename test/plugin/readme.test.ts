/** The pages on plugins and the interface say the same. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CONTRIBUTIONS } from '../../engine/plugin/contribution.ts'
import { compile } from '../support/compile.ts'
import { saysAtBoot } from './application.ts'

const page = suite('plugins/README.md')

const text = readFileSync('plugins/README.md', 'utf8')
/** Every example of the contributions, as parts of one plugin. */
const examples = [...readFileSync('plugins/guide/contributions.md', 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  .map(([, code]) => code)
  .join('')
const keys = Object.keys(CONTRIBUTIONS)

page('every kind of contribution has an example', () => {
  const shown = keys.filter(
    (key) => new RegExp(`^${key}: `, 'm').test(examples) || key === 'name' || key === 'description',
  )
  assert.equal(shown, keys)
})

/** What the examples name and do not show, made as short as can be. */
const AROUND = `
import { ApiError, deleteInBatches, definePlugin } from '${new URL('../../engine/index.ts', import.meta.url).href}'
const mail = async () => {}
const archive = async () => 0
`

const NAMED = {
  'resources/app.yaml': 'name: Lending\nplugins: { timestamps: {}, soft_delete: {}, loans: { days: 14 } }\n',
  'resources/loans.yaml': `
resource: loans
archive: true
fields: { fee: { type: decimal }, due_on: { type: date }, returned_at: { type: timestamp }, book: { type: string } }
special: { type: loans.state }
hooks: { create: [loans.check] }
policies: { view: [{ role: boss }], create: [{ permission: loans.waive }], update: [{ who: signed_in, where: { book: $actor.name } }], delete: [] }
`,
  'resources/members.yaml':
    'resource: members\nactions: []\nfields: { name: { type: string } }\nrelations: { role: { belongs_to: roles } }\n',
  'resources/roles.yaml': `
resource: roles
actions: []
fields: { slug: { type: string, unique: true }, permissions: { type: list, of: string } }
seeds: { key: slug, rows: [{ slug: boss, permissions: [loans.waive] }, { slug: admin, permissions: ["*"] }] }
`,
  'plugins/loans/resources/waivers.yaml': 'resource: waivers\nactions: []\nfields: { reason: { type: text } }\n',
  'plugins/loans/console.tsx': 'export default {}\n',
  'package.json': '{ "type": "module" }',
}

page('the examples together are a plugin that an application can use', async () => {
  const plugin = `definePlugin({ name: 'loans', description: 'Loans.',\n${examples} })`
  const said = await saysAtBoot({ ...NAMED, 'plugins/loans/index.ts': `${AROUND}export default ${plugin}\n` })
  assert.equal(said, [])
})

/** The compiler of a new application, but for names that an example shows and does not use. */
const SETTINGS = {
  ...JSON.parse(readFileSync(new URL('../../engine/cli/init/template/tsconfig.json.template', import.meta.url), 'utf8'))
    .compilerOptions,
  lib: ['ES2024'], // the engine's own sources are read beside the examples
  noUnusedLocals: false,
  noUnusedParameters: false,
  rootDir: '/',
  allowImportingTsExtensions: true,
  paths: { plinth: [fileURLToPath(new URL('../../engine/index.ts', import.meta.url))] },
}

page('the examples are of the types that a new application is checked by', () => {
  const plugin = `definePlugin({ name: 'loans', description: 'Loans.',\n${examples} })`
  const around = `import { ApiError, deleteInBatches, definePlugin } from 'plinth'
const mail = async (record: unknown): Promise<void> => {}
const archive = async (...about: readonly unknown[]): Promise<number> => about.length
`
  const first = text.slice(text.indexOf('```ts\n') + 6, text.indexOf('```', text.indexOf('```ts\n') + 6))
  assert.is(compile({ 'each.ts': `${around}export default ${plugin}\n`, 'first.ts': first }, SETTINGS), '')
})

page.run()
