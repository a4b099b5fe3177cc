/** Parts of applications in which is searched: states and comments of tickets, and how they are opened. */
import { application, type TestApplication } from '../support/application.ts'

/** Whoever is signed in creates, and nobody changes anything. */
export const POLICIES = 'create: [{ who: signed_in }], update: [], delete: []'

/** app.yaml, and the states of tickets. */
export const HELP = {
  'app.yaml': 'name: Help\nplugins: { timestamps: {}, who: {} }\n',
  'states.yaml': `
resource: states
fields: { name: { type: string, required: true } }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
} as const

/** Comments of tickets: a guest sees none that are internal. `more` are further lines of the file. */
export function commentsFile(more = ''): string {
  return `
resource: comments
${more}fields: { text: { type: text, required: true }, internal: { type: boolean, default: false } }
relations: { ticket: { belongs_to: tickets } }
policies: { view: [{ role: agent }, { role: guest, where: { internal: false } }], ${POLICIES} }
`
}

/** Opens an application twice and fills both: the second one takes every word for a common one. */
export function openedTwice(
  resources: Readonly<Record<string, string>>,
  fill: (app: TestApplication) => Promise<void>,
): Promise<readonly TestApplication[]> {
  const common = `${resources['app.yaml']}limits: { searchCounted: 1, searchRanked: 1, searchWalked: 1 }\n`
  const open = async (files: Readonly<Record<string, string>>): Promise<TestApplication> => {
    const app = await application({ resources: files, plugins: 'test/support/plugins', env: { RATE_LIMIT: '1000' } })
    await fill(app)
    return app
  }
  return Promise.all([open(resources), open({ ...resources, 'app.yaml': common })])
}
