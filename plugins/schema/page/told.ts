/** What the routes of the plugin answer, as the pages read it. */

/** Who may: a permission, one of some roles, anyone, or anyone signed in. */
export type Access =
  | { readonly kind: 'permission'; readonly permission: string }
  | { readonly kind: 'role'; readonly roles: readonly string[] }
  | { readonly kind: 'anyone' | 'signed_in' }

/** A part of a file: where it is written, and its text there. */
export interface Written {
  readonly place: string
  readonly text: string
}

export interface ToldField extends Written {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly required: boolean
  readonly nullable: boolean
  readonly unique: boolean
  readonly readOnly: boolean
  readonly show: string
  readonly from?: 'count' | 'computed'
  readonly relation?: string
  readonly read?: readonly Access[]
  readonly write?: readonly Access[]
}

export interface ToldRelation extends Written {
  readonly name: string
  readonly label: string
  readonly kind: 'belongs_to' | 'has_many' | 'many_to_many'
  readonly to: string
  readonly read?: readonly Access[]
}

export interface ToldClause extends Written {
  readonly access: readonly Access[]
  readonly isForSome: boolean
  readonly fields?: readonly string[]
  readonly sets?: readonly string[]
}

export interface ToldMoves {
  readonly name: string
  readonly words: readonly string[] | null
  readonly allow: readonly {
    readonly from: readonly string[] | null
    readonly to: readonly string[] | null
    readonly access: readonly Access[]
    readonly place: string
  }[]
  readonly place: string
}

export interface ToldAutomation extends Written {
  readonly name: string
  readonly description?: string
  readonly trigger: {
    readonly kind: 'write' | 'moment' | 'schedule'
    readonly on?: readonly string[]
    readonly at?: string
  }
  readonly does: readonly string[]
}

export interface ToldResource {
  readonly label: { readonly one: string; readonly many: string }
  readonly description?: string
  readonly path: string
  readonly table: string
  readonly place: string
  readonly fields: readonly ToldField[]
  readonly relations: readonly ToldRelation[]
  readonly policies: Readonly<Record<string, readonly ToldClause[]>>
  readonly rules: readonly (Written & { readonly name: string; readonly says: string })[]
  readonly moves: readonly ToldMoves[]
  readonly follows: readonly (Written & {
    readonly on: readonly string[]
    readonly sets: readonly string[]
    readonly of?: string
  })[]
  readonly automations: readonly ToldAutomation[]
  readonly listeners: readonly { readonly name: string; readonly on: readonly string[] }[]
}

export interface ToldSchema {
  readonly name: string
  readonly roles?: readonly string[]
  readonly permissions: Readonly<Record<string, string>>
  readonly resources: Readonly<Record<string, ToldResource>>
}

export interface Cell {
  readonly kind: 'none' | 'some' | 'all'
  readonly records: number | null
  readonly atLeast?: true
  readonly uncounted?: string
  readonly fields?: readonly string[]
  readonly clauses: readonly number[]
}

export interface AccessRow {
  readonly clauses: readonly Written[]
  readonly cells: Readonly<Record<string, Cell>>
}

export interface ToldAccess {
  readonly callers: readonly { readonly name: string; readonly role: string | null }[]
  readonly resources: Readonly<
    Record<string, { readonly label: string; readonly actions: Readonly<Record<string, AccessRow>> }>
  >
}

export interface Step {
  readonly title: string
  readonly risk: 'safe' | 'unsafe' | 'blocked'
  readonly start: 'takes' | 'leaves' | 'refuses'
  readonly rows?: number
  readonly reason?: string
  readonly advice?: string
}

export interface Plan {
  readonly hash: string
  readonly steps: readonly Step[]
}

export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint?: string
  readonly file?: string
  readonly from?: { readonly line: number; readonly column: number }
}

export interface ApiChange {
  readonly where: string
  readonly what: string
  readonly breaking: boolean
}

export interface Operations {
  readonly jobs: {
    readonly kinds: readonly { readonly job: string; readonly status: string; readonly count: number }[]
    readonly failed: readonly Failure[] | null
  }
  readonly automations: {
    readonly states: readonly {
      readonly name: string
      readonly nextAt: string | null
      readonly lastAt: string | null
      readonly outcomes: Readonly<Record<string, number>>
    }[]
    readonly failed: readonly Failure[] | null
  }
  readonly listeners: {
    readonly states: readonly {
      readonly name: string
      readonly waiting: number
      readonly deferred: number
      readonly failed: number
    }[]
    readonly failed: readonly Failure[] | null
  }
  readonly plan: {
    readonly says?: string
    readonly plan?: Plan | null
    readonly diagnostics?: readonly Diagnostic[]
    readonly api?: readonly ApiChange[] | null
    readonly access?: { readonly sentences: readonly string[] } | null
  }
}

/** Something that was given up; what it is called differs by its kind. */
export interface Failure {
  readonly id?: string
  readonly name?: string
  readonly automation?: string
  readonly listener?: string
  readonly attempts: number
  readonly error: string
}

export interface ToldFile {
  readonly file: string
  readonly text: string
  readonly hash: string
}

export interface ToldFiles {
  readonly own: readonly ToldFile[]
  readonly below: readonly string[]
}

/** A change of a file. */
export interface Change {
  readonly file: string
  readonly hash: string | null
  readonly op: 'set' | 'add' | 'remove' | 'rename' | 'move'
  readonly path: readonly (string | number)[]
  readonly value?: unknown
}

export interface Proposal {
  readonly patch: string
  readonly hash: string
  readonly diagnostics: readonly Diagnostic[]
  readonly plan: Plan | null
  readonly api: readonly ApiChange[] | null
  readonly access: { readonly sentences: readonly string[] } | null
}
