/** ⇄ The record as a write would store it, for hooks that judge it: read only when one asks. */

import type { Clause, Resource } from '../catalog/catalog.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { compileDraft } from '../query/write-statement.ts'
import type { FieldValues } from '../record/decode.ts'
import { type Execution, runCompiled } from './execution.ts'
import { valueSlots } from './input.ts'

export type DraftRecord = Readonly<Record<string, Json>>

/** What is known of a write before it runs. */
export interface Drafting {
  readonly resource: Resource
  /** The record's id; undefined for one to come. */
  readonly id: Id | undefined
  /** The clauses under which the write is allowed, in order. */
  readonly clauses: readonly (Clause | undefined)[]
  /** The values that hooks have left so far, completed. */
  readonly values: () => Promise<Readonly<FieldValues>> | Readonly<FieldValues>
  readonly plan: (values: Readonly<FieldValues>, clause: Clause | undefined) => WritePlan
}

/** A function that gives the draft of a write. It reads the draft again only when the input has changed. */
export function drafts(
  around: Execution,
  input: Readonly<FieldValues>,
  drafting: Drafting,
): () => Promise<DraftRecord> {
  let seen: { readonly key: string; readonly draft: Promise<DraftRecord> } | undefined
  return () => {
    const key = JSON.stringify(input)
    if (seen?.key !== key) seen = { key, draft: readDraft(around, drafting) }
    return seen.draft
  }
}

/** The draft under the first clause that admits it, as the write itself takes it; under the last one when none does. */
async function readDraft(around: Execution, drafting: Drafting): Promise<DraftRecord> {
  const { clauses, id, resource } = drafting
  const values = await drafting.values()
  let draft: DraftRecord = {}
  for (const clause of clauses.length === 0 ? [undefined] : clauses) {
    const compiled = around.statements.get(compileDraft, around, drafting.plan(values, clause))
    const [row] = await runCompiled(around, compiled, { ...valueSlots(resource, values), id })
    if (row === undefined) return draft
    draft = JSON.parse(compiled.serialize(row)) as DraftRecord
    if (row[0] === 't') return draft
  }
  return draft
}
