/** Keeps compiled statements in the process, the most recently used ones, and names them by their text. */
import { createHash } from 'node:crypto'
import type { Statement } from '../database/database.ts'
import { LIMITS } from '../limits.ts'

/** Compiled values by key, at most `LIMITS.compiledShapes` of them. */
export interface CompiledStatements {
  /** The value compiled for `key`, made by `compile` the first time. A key names the compiling function, the resource, the actor class and the shape. */
  get<T extends { readonly statement: Statement }>(key: string, compile: () => T): T
}

/** An empty memory, for one catalog. */
export function createStatements(): CompiledStatements {
  const known = new Map<string, { readonly statement: Statement }>()
  return {
    get<T extends { readonly statement: Statement }>(key: string, compile: () => T): T {
      // Only one function compiles for a key, so what is found has the type that this function gives.
      const found = known.get(key) as T | undefined
      if (found !== undefined) {
        known.delete(key)
        known.set(key, found)
        return found
      }
      const made = named(compile())
      known.set(key, made)
      if (known.size > LIMITS.compiledShapes) known.delete(known.keys().next().value!)
      return made
    },
  }
}

/** Equal texts get equal names, so a connection that outlives a catalog never confuses two statements. */
function named<T extends { readonly statement: Statement }>(compiled: T): T {
  const name = `p_${createHash('sha1').update(compiled.statement.text).digest('hex').slice(0, 20)}`
  return { ...compiled, statement: { ...compiled.statement, name } }
}
