/** Four books with a value, an edge or nothing in every field, for tests of what lists find and how they are ordered. */
import { type Library, library, STAFF } from './library.ts'

export const BOOKS = [
  {
    title: 'Alpha 100% true',
    pages: 10,
    price: '1.50',
    kind: 'novel',
    printed_on: '2001-01-01',
    words: ['a', 'b'],
    lent: true,
    seen_at: '2026-01-01T00:00:00.000000Z',
    serial: 4_000_000_000,
    shelf_id: 1,
    owner_id: 1,
    notes: 'quiet',
    bought_on: '2020-05-05',
  },
  {
    title: 'beta_under score',
    pages: 20,
    price: '10.00',
    kind: 'poetry',
    printed_on: '2002-02-02',
    words: ['b'],
    seen_at: '2026-01-01T23:59:59.999999Z',
    serial: 1,
    shelf_id: 2,
    owner_id: 2,
    details: { a: 1 },
  },
  {
    title: 'Gamma back\\slash',
    pages: 20,
    price: '9.99',
    kind: 'essay',
    words: [],
    seen_at: '2026-01-02T00:00:00.000000Z',
    shelf_id: 1,
    owner_id: 1,
  },
  { title: 'Ärger', price: '-3.00', shelf_id: null, seen_at: null },
]

/** The library with the four books, ids 1 to 4. */
export async function filledLibrary(): Promise<Library> {
  const app = await library()
  await fill(app)
  return app
}

/** Puts the four books into an empty library. */
export async function fill(app: Library): Promise<void> {
  for (const book of BOOKS) await app.expect(201, 'POST', '/books', STAFF, book)
}
