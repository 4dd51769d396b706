-- How far the reading of a list is that reads in growing steps: after which (createdAt, id) the next step
-- begins and how many rows it reads, how many all steps have read, and the records found for the page. `next`:
-- where the next page begins, for a page that is not full. See begin_reading.
create type messaging.list_reading as (
  page_size integer,
  after_at timestamptz,
  after_id uuid,
  step integer,
  rows_read integer,
  records jsonb[],
  next jsonb,
  is_over boolean
);
