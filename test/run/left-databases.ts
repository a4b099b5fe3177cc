/** ⇄ Databases on the server that a test file leaves for those that follow; the run drops them at its end. */
import pg from 'pg'

/** Those that the present file left; emptied by the runner after each file. */
export const leftDatabases: string[] = []

/** Drops the databases of these names. */
export async function dropDatabases(server: string, names: readonly string[]): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    for (const name of names) await client.query(`drop database if exists "${name}" with (force)`)
  } finally {
    await client.end()
  }
}
