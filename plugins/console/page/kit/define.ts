/** What the page of a plugin adds to the console. */
import type { ComponentType } from 'react'
import type { Field, Json, Named, RecordData } from '../client/catalog.ts'
import type { View } from '../client/said.ts'

/** What a page is given. */
export interface PageProps {
  /** What follows the path of the page in the address. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

/** What the control of an editor has to carry, so that its label, hint and error belong to it. */
export interface Control {
  readonly id: string
  readonly 'data-name': string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
  readonly 'aria-required': boolean
}

/** What an editor is given; what it says by `onChange` is sent to the API. */
export interface EditorProps {
  readonly control: Control
  readonly label: string
  readonly field: Field
  readonly value: Json
  readonly onChange: (value: Json) => void
}

/** A value in a list or on the screen of a record. */
export interface CellProps {
  readonly field: Pick<Field, 'type'> & Partial<Pick<Field, 'schema' | 'values' | 'widget'>>
  /** Never null, and never an empty text. */
  readonly value: Json
  /** Whether it lies in a row. */
  readonly isShort: boolean
}

/** What a block on the screen of a record is given. */
export interface BlockProps {
  readonly named: Named
  readonly record: RecordData
  /** The path of the record in the API. */
  readonly path: string
  /** Reads the record again. */
  readonly again: () => void
}

/** What a view of a resource is given; its records are those of `useRecords(named.name, { view })`. */
export interface ViewProps {
  readonly named: Named
  readonly view: View
}

interface PageAdded {
  /** What the menu says. */
  readonly label: string
  /** One word, `/rota`: the page is at /console/rota. */
  readonly path: string
  readonly icon?: string
  /** Who has the page: those with a permission, or `who`. */
  readonly permission?: string
  /** `explain`: those with the permission that app.yaml names under `explain`. */
  readonly who?: 'anyone' | 'signed_in' | 'explain'
  readonly component: ComponentType<PageProps>
}

interface EditorAdded {
  /** The types of the fields that it is for. */
  readonly types: readonly string[]
  readonly editor: ComponentType<EditorProps>
  /** How a value is shown; as that of any other field if absent. */
  readonly cell?: ComponentType<CellProps>
}

/** Pages, editors, blocks and views by their names. */
export interface ConsoleAdded {
  readonly pages?: Readonly<Record<string, PageAdded>>
  /** By the word of `widget`. */
  readonly editors?: Readonly<Record<string, EditorAdded>>
  /** By the name in `layout`. */
  readonly blocks?: Readonly<Record<string, ComponentType<BlockProps>>>
  /** By the word of `as`. */
  readonly views?: Readonly<Record<string, ComponentType<ViewProps>>>
}

/** Gives the default export of a plugin's page its type. */
export function defineConsole(added: ConsoleAdded): ConsoleAdded {
  return added
}
