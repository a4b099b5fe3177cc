/** Fills the demo: one transaction, the same content every time, and only on an empty desk. */
import { randomBytes } from 'node:crypto'
import type { PluginContext } from '../../../engine/index.ts'
import { hashPassword } from '../../auth/password.ts'
import { fillContent } from './articles.ts'
import { fillPeople, type People } from './fill-people.ts'
import { missingNames, readIds, type Scene } from './ids.ts'
import { fillMacros } from './macros.ts'
import { STAFF } from './people.ts'
import { randomOf } from './random.ts'
import { fillTickets } from './tickets.ts'

/** The number of customers that are named for signing in. */
const NAMED = 3

interface Filled {
  readonly people: People
  readonly tickets: number
}

/** Fills the desk and prints the accounts; returns 0, or 1 when the desk is not empty or its settings have changed. */
export async function fill(context: PluginContext): Promise<number> {
  const { catalog, database, now } = context
  const password = randomBytes(9).toString('base64url')
  const hash = await hashPassword(password)
  const filled = await database.transaction(async (transaction): Promise<Filled | string> => {
    const model: Scene['model'] = (resource) => context.model(resource, transaction)
    const chance = { random: randomOf(20_260), clock: randomOf(365) }
    const scene: Scene = { catalog, model, transaction, ...chance, now: now() }
    const reason = await whyNot(scene)
    if (reason !== undefined) return reason
    const ids = await readIds(scene)
    const people = await fillPeople(scene, ids, hash)
    await fillContent(scene, ids, people)
    await fillMacros(scene, ids, people)
    return { people, tickets: await fillTickets(scene, ids, people) }
  })
  if (typeof filled === 'string') {
    process.stderr.write(`${filled}\n`)
    return 1
  }
  process.stdout.write(`${whoIsWho(filled, password).join('\n')}\n`)
  return 0
}

/** The obstacle in a sentence; locks what it reads, so that it stays true while the demo is written. */
async function whyNot(scene: Scene): Promise<string | undefined> {
  const { catalog, model, transaction } = scene
  const tables = ['users', 'tickets'].map((name) => `"${catalog.resources.get(name)!.table}"`)
  await transaction.run({ text: `lock table ${tables.join(', ')} in share row exclusive mode` }, [])
  const ranks = catalog.pluginOptions.get('auth')?.roles
  const top = Array.isArray(ranks) ? String(ranks[0]) : ''
  const count = (resource: string): Promise<number> => model(resource).query().resultSize()
  const admin = await model('users').query().alias('u').joinRelated('role').findOne({ 'role.slug': top }).select('u.id')
  const others = (await count('users')) - (admin === undefined ? 0 : 1)
  const found = [counted(await count('tickets'), 'ticket'), counted(others, 'account')].filter((words) => words !== '')
  if (found.length > 0)
    return `The desk is not empty: deleted ones included there are ${found.join(' and ')} beside the first admin. The demo fills an empty desk alone, so nothing was changed. Give it a new DATA_DIR or an empty database, or serve this desk as it is with \`plinth start\`.`
  const missing = missingNames(await readIds(scene))
  return missing.length === 0
    ? undefined
    : `The demo builds on settings that are not there: ${missing.join(', ')}. Nothing was changed.`
}

function counted(number: number, word: string): string {
  return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`
}

function whoIsWho({ people: { staff, customers }, tickets }: Filled, password: string): readonly string[] {
  const role = (name: string): string =>
    staff.flatMap(({ email }, index) => (STAFF[index]?.role === name ? [email] : [])).join(', ')
  const named = customers.slice(0, NAMED).map(({ email }) => email)
  return [
    `Demo       ${tickets} tickets of ${customers.length} customers, and ${staff.length} people who answer them`,
    `  manager  ${role('manager')}`,
    `  agent    ${role('agent')}`,
    `  customer ${named.join(', ')} and ${customers.length - named.length} more`,
    `  password ${password}   (of all of them; shown only now)`,
  ]
}
