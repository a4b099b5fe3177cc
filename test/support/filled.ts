/** ⇄ Databases that begin with the same content: on a server it is made once for each process, and copied from there. */
import type { Database } from '../../engine/database/database.ts'
import { copiedDatabase } from '../../engine/database/throwaway.ts'
import { leftDatabases } from '../run/left-databases.ts'
import { SILENT, type TestDatabase, testDatabase } from './database.ts'

type Fill = (database: Database) => Promise<unknown>

/** Databases of the server with what is filled in; nobody is connected to them, and the run removes them at its end. */
const templates = new Map<Fill, Promise<string>>()

async function templateOf(fill: Fill): Promise<string> {
  const { database, url } = await testDatabase()
  await fill(database)
  await database.close()
  const name = new URL(String(url)).pathname.slice(1)
  leftDatabases.push(name)
  return name
}

/** A database of its own with what `fill` does to an empty one. */
export async function filledDatabase(fill: Fill): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server) {
    const template = templates.get(fill) ?? templateOf(fill)
    templates.set(fill, template)
    return copiedDatabase(server, await template, SILENT)
  }
  const made = await testDatabase()
  await fill(made.database)
  return made
}
