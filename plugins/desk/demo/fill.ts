/** Runs the demo: one transaction, the same content every time, and never twice. */
import { randomBytes } from 'node:crypto'
import type { PluginContext } from '../../../engine/index.ts'
import { hashPassword } from '../../auth/password.ts'
import { fillContent } from './content.ts'
import { fillPeople, type People, staffEmail } from './fill-people.ts'
import { type Ids, missingNames, readIds } from './ids.ts'
import { STAFF } from './people.ts'
import { randomOf } from './random.ts'
import { fillTickets } from './tickets.ts'

/** Fills the desk; 0, or 1 when it was filled before. */
export async function fill(context: PluginContext): Promise<number> {
  const { catalog, database, now } = context
  const users = catalog.resources.get('users')!.table
  // Deleted or not: that the first of the demo's people was ever here shows that the demo was.
  const before = await database.knex(users).where('email', staffEmail(STAFF[0]!)).first('id')
  if (before !== undefined) {
    process.stdout.write('The demo has been here already; nothing was changed.\n')
    return 1
  }
  const missing = missingNames(await readIds({ knex: database.knex, catalog }))
  if (missing.length > 0) {
    process.stdout.write(
      `The demo builds on settings that are not there: ${missing.join(', ')}. Nothing was changed.\n`,
    )
    return 1
  }
  const password = randomBytes(9).toString('base64url')
  const hash = await hashPassword(password)
  const random = randomOf(20_260)
  const [people, tickets] = await database.transaction(async ({ knex }): Promise<[People, number]> => {
    const scene = { knex, catalog, random, now: now() }
    const ids: Ids = await readIds(scene)
    const filled = await fillPeople(scene, ids, hash)
    await fillContent(scene, ids, filled)
    return [filled, await fillTickets(scene, ids, filled)]
  })
  const manager = people.staff[0]?.email ?? ''
  const agent = people.staff[STAFF.findIndex(({ role }) => role === 'agent')]?.email ?? ''
  process.stdout.write(
    `${tickets} tickets of ${people.customers.length} customers, ${people.staff.length} people who answer them.\n`,
  )
  process.stdout.write(
    `Sign in as ${manager}, ${agent} or ${people.customers[0]?.email ?? ''}; the password of all of them is ${password}\n`,
  )
  return 0
}
