/** The query parameters that mean something on every list, so that no filter can be called so. */

/** What of each record is wanted: of single records too, in this order. */
export const PROJECTION_PARAMETERS: readonly string[] = ['fields', 'omit', 'include']

/** Which of the records are answered, and how many at once. */
export const PAGE_PARAMETERS: readonly string[] = ['page', 'per_page', 'cursor']

/** Which of them comes first. */
export const ORDER_PARAMETERS: readonly string[] = ['order', 'sort']

export const LIST_PARAMETERS: readonly string[] = [
  ...PAGE_PARAMETERS,
  ...ORDER_PARAMETERS,
  'search',
  'snippets',
  'where',
  ...PROJECTION_PARAMETERS,
]

/** Parameters that are a list of words: given twice, they are one longer list. */
export const WORD_PARAMETERS: readonly string[] = ['sort', ...PROJECTION_PARAMETERS]
