/** What a person who starts the application reads. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import type { StartLine } from './plugin.ts'

/** The lines that are printed only once. */
export function saidOnce(said: readonly StartLine[]): readonly string[] {
  return said.flatMap((line) => (typeof line === 'string' ? [] : [line.once]))
}

/** The address of the application, its database, and the lines of plugins. */
export function startLines(
  database: Database,
  { name, version, prefix }: Catalog,
  url: string,
  said: readonly StartLine[],
): readonly string[] {
  const durability =
    'an acknowledged write survives a crash of the process, not a loss of power: use PostgreSQL for that'
  return [
    `${name} ${version} at ${url}${prefix}`,
    `Database: ${database.description}${database.kind === 'embedded' ? ` (${durability})` : ''}`,
    ...said.map((line) => (typeof line === 'string' ? line : line.once)),
  ]
}
