/** ⇄ The answer of a write's row, also where it could not be made of the row alone. */
import type { Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import type { Row } from '../database/database.ts'
import type { CompiledWrite } from '../query/write-statement.ts'
import { KeptEmbedMiss } from './cached-tables.ts'
import type { Execution } from './execution.ts'
import { readBack } from './read-back.ts'
import { written } from './refusal.ts'

/** Reads the record of a write's row again where the row names a record younger than what is kept; rethrows all else. */
export async function afterMiss(
  error: unknown,
  around: Execution,
  resource: Resource,
  { checks }: CompiledWrite,
  row: Row,
): Promise<string> {
  if (!(error instanceof KeptEmbedMiss)) throw error
  return readBack(around, resource, idOf(resource, row[checks.length]), true)
}

/** The answer of a write's row, or the refusal; `seen` says whether the caller could view the record before. */
export async function answered(
  around: Execution,
  resource: Resource,
  compiled: CompiledWrite,
  row: Row,
  seen: boolean,
): Promise<string> {
  try {
    return written(around, resource, compiled, row, seen)
  } catch (error) {
    return afterMiss(error, around, resource, compiled, row)
  }
}
