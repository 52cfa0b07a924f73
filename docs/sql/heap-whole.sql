-- users and user_migrations of Heap, whole: psql -v schema=heap -v table=users. One window: --from is the day before --to. A user who was
-- moved later was the same one before.
select translate(row_to_json(r)::text, E'\r\n', '  ') as line
from (select t.* from :"schema".:"table" t) r
