from rest_framework.pagination import PageNumberPagination


class PagePagination(PageNumberPagination):
    """Pages of 50 by default; `?page_size=` up to 1,000."""

    page_size_query_param = "page_size"
    max_page_size = 1000
