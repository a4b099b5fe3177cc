/** Whether a pooler stands between this process and the server that gives each transaction another session ⇄. */
import type pg from 'pg'
import { Client } from './pg.ts'

/** A setting of nobody's: the server keeps any with a dot in its name, for one session. */
const SETTING = 'plinth.probe'

/**
 * Whether two connections share a session of the server. Each writes down who it is in its session, and the first reads
 * what stands in its own by then: behind PgBouncer with `pool_mode = transaction` that is the other one's.
 */
export async function poolsTransactions(config: pg.ClientConfig): Promise<boolean> {
  const [one, two] = [new Client(config), new Client(config)]
  for (const client of [one, two]) client.on('error', () => {})
  try {
    await Promise.all([one.connect(), two.connect()])
    for (const [name, client] of Object.entries({ one, two })) await client.query(`set ${SETTING} = '${name}'`)
    for (const [name, client] of Object.entries({ one, two })) {
      const { rows } = await client.query<{ found: string | null }>(
        `select current_setting('${SETTING}', true) as found`,
      )
      if (rows[0]?.found !== name) return true
    }
    return false
  } finally {
    await Promise.allSettled([one.end(), two.end()])
  }
}
