/** What a person keeps for the history: filters by name, which the screens write. */
import { z } from 'zod';
import { MAX_FILTERS, SavedFilter } from '#contract/history/history-methods.ts';
import { WITHOUT_ROWS } from './setting-rows.ts';

export const HistorySettings = z
  .strictObject({
    filters: z
      .record(SavedFilter.shape.name, SavedFilter.shape.query)
      .refine((filters) => Object.keys(filters).length <= MAX_FILTERS, `has more than ${MAX_FILTERS} filters`)
      .default({})
      .meta(WITHOUT_ROWS),
  })
  .prefault({});
