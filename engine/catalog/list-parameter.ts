/** The query parameters that mean something on every list, so that no filter can be called so. */

/** What of each record is wanted: of single records too, in this order. */
export const PROJECTION_PARAMETERS: readonly string[] = ['fields', 'omit', 'include']

export const LIST_PARAMETERS: readonly string[] = [
  'page',
  'per_page',
  'search',
  'snippets',
  'sort',
  'order',
  'cursor',
  'where',
  ...PROJECTION_PARAMETERS,
]

/** Parameters that are a list of words: given twice, they are one longer list. */
export const WORD_PARAMETERS: readonly string[] = ['sort', ...PROJECTION_PARAMETERS]
