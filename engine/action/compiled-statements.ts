/** The process's memory of compiled statements: least recently used out, names that follow from the text. */
import { createHash } from 'node:crypto'
import type { Statement } from '../database/database.ts'
import { LIMITS } from '../limits.ts'

/** Compiled values by key, at most `LIMITS.compiledShapes` of them. */
export class CompiledStatements {
  private readonly known = new Map<string, { readonly statement: Statement }>()

  /** The value compiled for `key`, made by `compile` the first time. Keys name the builder, resource, actor class and shape. */
  get<T extends { readonly statement: Statement }>(key: string, compile: () => T): T {
    const found = this.known.get(key) as T | undefined
    if (found !== undefined) {
      this.known.delete(key)
      this.known.set(key, found)
      return found
    }
    const made = named(compile())
    this.known.set(key, made)
    if (this.known.size > LIMITS.compiledShapes) this.known.delete(this.known.keys().next().value!)
    return made
  }
}

/** Equal texts get equal names, so a connection that outlives a catalog never confuses two statements. */
function named<T extends { readonly statement: Statement }>(compiled: T): T {
  const name = `p_${createHash('sha1').update(compiled.statement.text).digest('hex').slice(0, 20)}`
  return { ...compiled, statement: { ...compiled.statement, name } }
}
