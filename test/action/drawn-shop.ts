/** Shelves with books, notes and picks in which every kind of write meets others, and what a model of them comes to. */
export const FILES = ((): Readonly<Record<string, string>> => {
  const policies = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]`
  const restored = `soft_delete: true\nrestore: true\n${policies}\n  restore: [{ who: signed_in }]`
  return {
    'app.yaml': 'name: Shop\nprefix: /d\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
    'shelves.yaml': `
resource: shelves
label: Shelf
fields:
  size: { type: integer, default: 0 }
  worth: { type: integer, default: 0 }
  losses: { type: integer, default: 0 }
  picked: { type: integer, default: 0 }
relations: { picks: { many_to_many: tags, through: picks } }
${policies}
`,
    'books.yaml': `
resource: books
label: Book
log_changes: true
fields:
  price: { type: integer, default: 1, immutable: true }
  is_best: { type: boolean, default: false, nullable: false }
  is_pinned: { type: boolean, default: false, nullable: false }
  is_fixed: { type: boolean, default: false, nullable: false }
  lost: { type: integer, default: 0, read_only: true }
relations:
  shelf: { belongs_to: shelves, required: true, on_delete: cascade }
  tags: { many_to_many: tags }
rules:
  best: { only_one: is_best, per: shelf }
  few: { at_most: 3, per: shelf, says: Three books at most }
  pinned: { must: { any: [{ is_best: true }, { is_pinned: false }] }, says: A pinned book stays the best }
  fixed: { on: [delete], must: { is_fixed: false }, says: A fixed book stays }
follows:
  - { on: [update], changed: is_best, when: { is_best: false }, set: { lost: { plus: [$record.lost, 1] } } }
  - { of: shelf, on: [update], changed: is_best, when: { is_best: false }, set: { losses: { plus: [$record.shelf.losses, 1] } } }
  - of: shelf
    on: [create, restore]
    set: { size: { plus: [$record.shelf.size, 1] }, worth: { plus: [$record.shelf.worth, $record.price] } }
  - of: shelf
    on: [delete]
    set: { size: { minus: [$record.shelf.size, 1] }, worth: { minus: [$record.shelf.worth, $record.price] } }
${restored}
`,
    'notes.yaml': `
resource: notes
label: Note
log_changes: true
fields: { left: { type: integer, default: 0, read_only: true } }
relations: { shelf: { belongs_to: shelves, on_delete: set_null } }
follows: [{ on: [update], changed: shelf, when: { shelf: null }, set: { left: { plus: [$record.left, 1] } } }]
${policies}
`,
    'tags.yaml': `resource: tags\nlabel: Tag\nfields: { name: { type: string } }\n${restored}\n`,
    'picks.yaml': `
resource: picks
label: Pick
relations:
  shelf: { belongs_to: shelves, required: true, on_delete: cascade }
  tag: { belongs_to: tags, required: true, on_delete: cascade }
indexes: [{ fields: [shelf_id, tag_id], unique: true }]
follows:
  - { of: shelf, on: [create], set: { picked: { plus: [$record.shelf.picked, 1] } } }
  - { of: shelf, on: [delete], set: { picked: { minus: [$record.shelf.picked, 1] } } }
${policies}
`,
  }
})()

export interface Book {
  readonly price: number
  shelf: number
  best: boolean
  pinned: boolean
  fixed: boolean
  lost: number
  deleted: boolean
  tags: ReadonlySet<number>
  /** How many rows the log has of it. */
  logged: number
}

export interface Wanted {
  readonly shelf: number
  readonly best: boolean
  readonly pinned: boolean
  readonly fixed: boolean
  readonly tags: ReadonlySet<number>
}

/** What there is, by ids; each change gives whether it is allowed, and changes nothing where it is not. */
export class Model {
  readonly shelves = new Map<number, { losses: number; picks: ReadonlySet<number> }>()
  readonly books = new Map<number, Book>()
  readonly notes = new Map<number, { shelf: number | null; left: number; logged: number }>()
  readonly tags = new Map<number, { deleted: boolean }>()

  #on(shelf: number, but?: Book): readonly Book[] {
    return [...this.books.values()].filter((one) => one !== but && one.shelf === shelf && !one.deleted)
  }

  /** Of what is deleted only what is linked already may be named, and links to it stay. */
  #links(old: ReadonlySet<number>, wanted: ReadonlySet<number>): ReadonlySet<number> | undefined {
    const isDeleted = (id: number): boolean => this.tags.get(id)!.deleted
    if ([...wanted].some((id) => isDeleted(id) && !old.has(id))) return undefined
    return new Set([...wanted, ...[...old].filter(isDeleted)])
  }

  #takes(shelf: number, but?: Book): boolean {
    const best = this.#on(shelf, but).filter((one) => one.best)
    if (best.some((one) => one.pinned)) return false
    for (const one of best) {
      one.best = false
      one.lost += 1
      one.logged += 1
      this.shelves.get(shelf)!.losses += 1
    }
    return true
  }

  create(id: () => number, wanted: Wanted, price: number): (() => void) | undefined {
    const tags = this.#links(new Set(), wanted.tags)
    const holder = this.#on(wanted.shelf).find((one) => one.best)
    if (tags === undefined || this.#on(wanted.shelf).length >= 3 || (wanted.pinned && !wanted.best)) return undefined
    if (wanted.best && holder?.pinned) return undefined
    return () => {
      if (wanted.best) this.#takes(wanted.shelf)
      this.books.set(id(), { ...wanted, tags, price, lost: 0, deleted: false, logged: 1 })
    }
  }

  update(book: Book, wanted: Wanted): (() => void) | undefined {
    const tags = this.#links(book.tags, wanted.tags)
    const moves = wanted.shelf !== book.shelf
    const judged = wanted.best !== book.best || wanted.pinned !== book.pinned
    const holder = this.#on(wanted.shelf, book).find((one) => one.best)
    const takes = wanted.best && (moves || !book.best)
    const shown = new Set([...book.tags].filter((id) => !this.tags.get(id)!.deleted))
    const relinked = shown.size !== wanted.tags.size || [...wanted.tags].some((id) => !shown.has(id))
    if (relinked && tags === undefined) return undefined
    if (moves && this.#on(wanted.shelf, book).length >= 3) return undefined
    if (judged && wanted.pinned && !wanted.best) return undefined
    if (takes && holder?.pinned) return undefined
    return () => {
      const loses = book.best && !wanted.best
      const changed = moves || judged || wanted.fixed !== book.fixed || relinked
      if (takes) this.#takes(wanted.shelf, book)
      Object.assign(book, wanted, { tags: relinked ? tags : book.tags })
      if (loses) {
        book.lost += 1
        this.shelves.get(book.shelf)!.losses += 1
      }
      if (changed) book.logged += 1
    }
  }

  remove(book: Book): (() => void) | undefined {
    if (book.fixed) return undefined
    return () => {
      book.deleted = true
      book.logged += 1
    }
  }

  restore(book: Book): (() => void) | undefined {
    if (this.#on(book.shelf).length >= 3) return undefined
    return () => {
      if (this.#on(book.shelf).some((one) => one.best)) book.best = false
      book.deleted = false
      book.logged += 1
    }
  }

  removeShelf(id: number): (() => void) | undefined {
    if (this.#on(id).some((one) => one.fixed)) return undefined
    return () => {
      for (const [at, one] of this.books) if (one.shelf === id) this.books.delete(at)
      for (const note of this.notes.values())
        if (note.shelf === id) Object.assign(note, { shelf: null, left: note.left + 1, logged: note.logged + 1 })
      this.shelves.delete(id)
    }
  }

  pick(id: number, wanted: ReadonlySet<number>): (() => void) | undefined {
    const shelf = this.shelves.get(id)!
    const picks = this.#links(shelf.picks, wanted)
    return picks && (() => void Object.assign(shelf, { picks }))
  }

  /** All of it as rows, as the database gives them. */
  rows(): readonly string[] {
    const sorted = (ids: Iterable<number>): string => [...ids].sort((a, b) => a - b).join('+')
    const shelves = [...this.shelves].map(([id, { losses, picks }]) => {
      const own = this.#on(id)
      const worth = own.reduce((sum, { price }) => sum + price, 0)
      return `shelf ${id}: ${own.length} ${worth} ${losses} ${picks.size} ${sorted(picks)}`
    })
    const books = [...this.books].map(
      ([id, one]) =>
        `book ${id}: ${one.shelf} ${one.best} ${one.pinned} ${one.fixed} ${one.lost} ${one.deleted} ${one.logged} ${sorted(one.tags)}`,
    )
    const notes = [...this.notes].map(([id, one]) => `note ${id}: ${one.shelf} ${one.left} ${one.logged}`)
    return [...shelves, ...books, ...notes].sort()
  }
}

const LOGGED = (resource: string, alias: string): string =>
  `(select count(*) from plinth_change c where c.resource = '${resource}' and c.record_id = ${alias}.id)`
const IDS = (table: string, column: string, by: string, alias: string): string =>
  `coalesce((select string_agg(${column}::text, '+' order by ${column}) from ${table} where ${by} = ${alias}.id), '')`

/** What a `Model` gives as rows, asked of the database. */
export const ROWS = `
  select 'shelf ' || s.id || ': ' || s.size || ' ' || s.worth || ' ' || s.losses || ' ' || s.picked || ' ' || ${IDS('picks', 'tag_id', 'shelf_id', 's')} from shelves s
  union all select 'book ' || b.id || ': ' || b.shelf_id || ' ' || b.is_best || ' ' || b.is_pinned || ' ' || b.is_fixed || ' ' || b.lost || ' ' || (b.deleted_at is not null) || ' ' || ${LOGGED('books', 'b')} || ' ' || ${IDS('books_tags', 'tag_id', 'book_id', 'b')} from books b
  union all select 'note ' || n.id || ': ' || coalesce(n.shelf_id::text, 'null') || ' ' || n."left" || ' ' || ${LOGGED('notes', 'n')} from notes n`
